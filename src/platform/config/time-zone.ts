import { z } from 'zod';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The name of a time zone, which has no default: the portal's own machine may be anywhere. */
export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Amsterdam')
  .optional();
