import { locale } from './language.js';

/**
 * FHIR dates as people write them: a date is the same day everywhere, a moment is shown in the reader's own time. Years
 * and all other texts stay as they are.
 */
export function display(value: string, length: 'medium' | 'long' = 'medium'): string {
  const timeZone = 'UTC';
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return formatted({ dateStyle: length, timeStyle: 'short' }, value);
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formatted({ dateStyle: length, timeZone }, value);
  const month = length === 'long' ? 'long' : 'short';
  if (/^\d{4}-\d{2}$/.test(value)) return formatted({ year: 'numeric', month, timeZone }, value);
  return value;
}

function formatted(format: Intl.DateTimeFormatOptions, value: string): string {
  const date = new Date(value);
  // Intl separates the minutes from AM/PM by U+202F, for which the loaded font subset has no glyph.
  return Number.isNaN(date.getTime())
    ? value
    : new Intl.DateTimeFormat(locale(), format).format(date).replace('\u202f', ' ');
}
