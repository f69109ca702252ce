import type { ReactNode } from 'react';
import styles from './flow-column.module.css';

/** The content of a step between sign-in and the response to the app, above the action bar. */
export function FlowColumn({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? `${styles.column} ${styles.wide}` : styles.column} data-wide={wide || undefined}>
      {children}
    </div>
  );
}
