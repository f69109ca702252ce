import { t } from './i18n.js';
import { locale } from './language.js';

export interface LongDate {
  date: string;
  /** Empty when there is no date. */
  time: string;
}

/**
 * In the reader's language and time zone, 'N/A' when empty; in English the American way with a 12-hour clock (`spec §9`). The
 * parts stand on two lines.
 */
export function longDate(iso: string | null, to: 'minutes' | 'seconds' = 'minutes'): LongDate {
  const at = iso ? new Date(iso) : null;
  if (!at || Number.isNaN(at.getTime())) return { date: t('common.notAvailable'), time: '' };
  const day = new Intl.DateTimeFormat(locale(), { dateStyle: 'long' });
  const second = to === 'seconds' ? ('2-digit' as const) : undefined;
  const time = new Intl.DateTimeFormat(locale(), { hour: 'numeric', minute: '2-digit', second });
  // Intl separates the minutes from AM/PM by U+202F, for which the loaded font subset has no glyph.
  return { date: day.format(at), time: time.format(at).replace('\u202f', ' ') };
}

/** Day and time in one line. */
export function longMoment(iso: string): string {
  const moment = new Intl.DateTimeFormat(locale(), { dateStyle: 'long', timeStyle: 'short' });
  return moment.format(new Date(iso)).replace('\u202f', ' ');
}
