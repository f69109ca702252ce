import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent' | 'outlined';

/**
 * A word about something that stands out; never in colour alone. In front of it an icon, or a dot for what is on or
 * off.
 */
export function Badge({
  tone = 'neutral',
  icon,
  dot = false,
  children,
}: {
  tone?: Tone;
  icon?: ReactNode;
  dot?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      {dot && <span className={styles.dot} aria-hidden="true" />}
      {icon}
      {children}
    </span>
  );
}
