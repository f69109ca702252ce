import { t } from './i18n/i18n.js';

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' });
const time = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', hour12: true });

export interface LongDate {
  date: string;
  /** Empty when there is no date. */
  time: string;
}

/** US style in the reader's time zone, 12-hour clock, 'N/A' when empty (`spec §9`); the parts stand on two lines. */
export function longDate(iso: string | null): LongDate {
  const at = iso ? new Date(iso) : null;
  if (!at || Number.isNaN(at.getTime())) return { date: t('common.notAvailable'), time: '' };
  // Intl separates the minutes from AM/PM by U+202F, for which the loaded font subset has no glyph.
  return { date: day.format(at), time: time.format(at).replace('\u202f', ' ') };
}
