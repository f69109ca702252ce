import { longDate } from '../../i18n/dates.js';
import type { Filters } from '../list-state.js';

/** A day as date fields write it. */
export const day = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** A period that ends now, or the days on which it begins and ends. */
export type PeriodFilters = 'period' | 'from' | 'to';

const minute = 60_000;

/**
 * The limits of a call. `periods`: lengths in milliseconds. A period that ends now begins at a whole minute, so that
 * the call stays the same for a while; days are those of the browser's time zone.
 */
export function limitsOfPeriod(
  { period: [period = ''], from: [first], to: [last] }: Filters<PeriodFilters>,
  periods: Readonly<Record<string, number>>,
): { from?: string; to?: string } {
  const length = periods[period];
  if (length !== undefined) {
    return { from: new Date(Math.floor((Date.now() - length) / minute) * minute).toISOString() };
  }
  return { ...(first && { from: startOf(first, 0) }), ...(last && { to: startOf(last, 1) }) };
}

/** The beginning of a day, or of one after it. */
function startOf(iso: string, daysAfter: number): string {
  const [year = 0, month = 1, date = 1] = iso.split('-').map(Number);
  return new Date(year, month - 1, date + daysAfter).toISOString();
}

/** A day of a filter, in the reader's language. */
export const dayText = (iso: string) => longDate(`${iso}T12:00:00`).date;
