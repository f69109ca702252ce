import { ExclamationCircleFilled } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { Badge } from './badge.js';
import styles from './status.module.css';

/** On or off, as a dot and a word: a full column of badges is noise. */
export function Status({ on, children }: { on: boolean; children: ReactNode }) {
  return <span className={on ? `${styles.status} ${styles.on}` : styles.status}>{children}</span>;
}

/** A mark for an exception, which stands out among the others. */
export function Exception({ children }: { children: ReactNode }) {
  return (
    <Badge tone="warning" icon={<ExclamationCircleFilled aria-hidden />}>
      {children}
    </Badge>
  );
}
