import type { ReactNode } from 'react';
import styles from './action-bar.module.css';

/** The buttons of a flow, at the bottom of the screen at every width; the primary one last. */
export function ActionBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={styles.bar} aria-label={label}>
      <div className={styles.column}>{children}</div>
    </section>
  );
}
