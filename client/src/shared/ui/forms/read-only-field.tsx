import { LockOutlined } from '@ant-design/icons';
import { type ReactNode, useId } from 'react';
import styles from './read-only-field.module.css';

/** A value that stands in a form to be seen only. */
export function ReadOnlyField({ label, value, reason }: { label: string; value: ReactNode; reason: string }) {
  return (
    <dl className={styles.fixed}>
      <dt className={styles.label}>
        {label}
        <Reason>{reason}</Reason>
      </dt>
      <dd className={styles.value}>{value}</dd>
    </dl>
  );
}

/** The same for an account's name, which password managers look for in an input. */
export function ReadOnlyUsername({ label, value, reason }: { label: string; value: string; reason: string }) {
  const id = useId();
  return (
    <div className={styles.fixed}>
      <div className={styles.label}>
        <label htmlFor={id}>{label}</label>
        <Reason id={`${id}-reason`}>{reason}</Reason>
      </div>
      <input
        id={id}
        type="email"
        autoComplete="username"
        className={styles.value}
        aria-describedby={`${id}-reason`}
        value={value}
        readOnly
      />
    </div>
  );
}

function Reason({ id, children }: { id?: string; children: string }) {
  return (
    <span id={id} className={styles.reason}>
      <LockOutlined aria-hidden /> {children}
    </span>
  );
}
