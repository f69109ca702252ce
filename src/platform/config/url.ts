import { z } from 'zod';

/** Schema of an http(s) URL; `what` is the end of the error message. */
export const url = (what: string) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), `must be an http(s) URL ${what}`);
