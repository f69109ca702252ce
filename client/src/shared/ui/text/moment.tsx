import { dayOf, longDate } from '../../i18n/dates.js';
import styles from './moment.module.css';

/** The day, and below it the time; 'N/A' for none. Empty while it is not loaded. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (at === undefined) return null;
  if (at === null) return longDate(null).date;
  return (
    <time dateTime={at}>
      <span className={styles.day}>{dayOf(at)}</span> <span className={styles.time}>{longDate(at).time}</span>
    </time>
  );
}
