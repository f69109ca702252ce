import { type ReactNode, useId } from 'react';
import styles from './account-settings.module.css';

/** A part of the page: what it is about on the left, a card with what can be done on the right. */
export function Section({ title, help, children }: { title: string; help: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.about}>
        <h2 id={id}>{title}</h2>
        <p>{help}</p>
      </div>
      {children}
    </section>
  );
}

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
