import { LockOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import styles from './read-only-field.module.css';

/** A value that stands in a form to be seen only. */
export function ReadOnlyField({ label, value, reason }: { label: string; value: ReactNode; reason: string }) {
  return (
    <dl className={styles.fixed}>
      <dt>
        {label}
        <span className={styles.reason}>
          <LockOutlined aria-hidden /> {reason}
        </span>
      </dt>
      <dd>{value}</dd>
    </dl>
  );
}
