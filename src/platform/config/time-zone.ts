import { z } from 'zod';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

interface Zones {
  locale: { timeZone?: string | undefined };
  fhir: { tenants: readonly { id: string; timeZone?: string | undefined }[] };
}

/** Where the days of a tenant begin; UTC where nothing is configured. */
export function timeZoneOf({ locale, fhir }: Zones, tenant: string | undefined): string {
  return fhir.tenants.find(({ id }) => id === tenant)?.timeZone ?? locale.timeZone ?? 'UTC';
}

/** The name of a time zone, which has no default: the portal's own machine may be anywhere. */
export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Amsterdam')
  .optional();
