import { type ReactNode, useId } from 'react';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './try-launch.module.css';

/** The client's panel, or this field of its form. */
export function clientAddress(id: string, field?: string): string {
  return `/admin/client-management?${new URLSearchParams({ client: id, ...(field && { field }) })}`;
}

/** A part of the result. */
export function Part({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={`${cardStyles.card} ${styles.part}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {help && <p className={styles.help}>{help}</p>}
      {children}
    </section>
  );
}
