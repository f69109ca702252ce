import { t } from './i18n.js';
import { locale } from './language.js';

export interface LongDate {
  date: string;
  /** Empty when there is no date. */
  time: string;
}

/**
 * In the reader's language and time zone, 'N/A' when empty; in English the American way with a 12-hour clock
 * (`spec §9`). The parts stand on two lines.
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

/** A day of a period, `YYYY-MM-DD`, as a date: in the reader's time zone it stays the same day. */
export const longDay = (day: string) => longDate(`${day}T12:00:00`).date;

/** Day and time in one line. */
export function longMoment(iso: string): string {
  const moment = new Intl.DateTimeFormat(locale(), { dateStyle: 'long', timeStyle: 'short' });
  return moment.format(new Date(iso)).replace('\u202f', ' ');
}

/** The date, or a word for the last two days: 'Today'. */
export function dayOf(iso: string): string {
  const at = new Date(iso).toDateString();
  const daysAgo = (days: number) => {
    const day = new Date();
    day.setDate(day.getDate() - days);
    return day.toDateString() === at;
  };
  if (daysAgo(0)) return t('common.today');
  return daysAgo(1) ? t('common.yesterday') : longDate(iso).date;
}

/** As {@link longMoment}, with {@link dayOf}: 'Today, 9:41 AM'. */
export function dayAndTime(iso: string): string {
  const day = dayOf(iso);
  return day === longDate(iso).date ? longMoment(iso) : t('common.dayAndTime', { day, time: longDate(iso).time });
}

/** 'in 14 days', 'today'. */
export function inDays(iso: string, now = new Date()): string {
  const startOf = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
  const days = Math.round((startOf(new Date(iso)) - startOf(now)) / 86_400_000);
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day');
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** The time since then, in its largest unit: '2 minutes ago', at first 'this minute'. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? units[2];
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
}
