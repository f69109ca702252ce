import { locale } from '../../shared/i18n/language.js';

const full: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
const month: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', timeZone: 'UTC' };
const moment: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

/**
 * FHIR dates as people write them: a date is the same day everywhere, a moment is shown in the reader's own time. Years
 * and all other texts stay as they are.
 */
export function display(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return formatted(moment, value);
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formatted(full, value);
  if (/^\d{4}-\d{2}$/.test(value)) return formatted(month, value);
  return value;
}

function formatted(format: Intl.DateTimeFormatOptions, value: string): string {
  const date = new Date(value);
  // Intl separates the minutes from AM/PM by U+202F, for which the loaded font subset has no glyph.
  return Number.isNaN(date.getTime())
    ? value
    : new Intl.DateTimeFormat(locale(), format).format(date).replace('\u202f', ' ');
}
