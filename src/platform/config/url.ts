import { z } from 'zod';

/** An address of the web; `what` says which, to who gave none. */
export const url = (what: string) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), `must be an http(s) URL ${what}`);
