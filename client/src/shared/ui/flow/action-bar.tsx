import type { ReactNode } from 'react';
import styles from './action-bar.module.css';

/** The buttons of a flow, at the bottom of the screen at every width; the primary one last. */
export function ActionBar({
  label,
  wide = false,
  children,
}: {
  label: string;
  /** As wide as a page with a table. */
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={styles.bar} aria-label={label}>
      <div className={wide ? `${styles.column} ${styles.wide}` : styles.column}>{children}</div>
    </section>
  );
}
