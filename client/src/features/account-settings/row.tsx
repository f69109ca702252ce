import type { ReactNode } from 'react';
import styles from './account-settings.module.css';

/** One line of a card: a name with its value, and what can be done about it. `titled` puts the weight on the name. */
export function Row({
  label,
  badge,
  value,
  action,
  titled = false,
}: {
  label: string;
  badge?: ReactNode;
  value: ReactNode;
  action?: ReactNode;
  titled?: boolean;
}) {
  return (
    <div className={titled ? `${styles.row} ${styles.titled}` : styles.row}>
      <div className={styles.fact}>
        <span className={styles.label}>
          {label}
          {badge}
        </span>
        <span className={styles.value}>{value}</span>
      </div>
      {action}
    </div>
  );
}
