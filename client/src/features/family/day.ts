import { longDate } from '../../shared/i18n/dates.js';

/** A day of a period, `YYYY-MM-DD`, as a date: in the reader's time zone it stays the same day. */
export const dayText = (day: string) => longDate(`${day}T12:00:00`).date;
