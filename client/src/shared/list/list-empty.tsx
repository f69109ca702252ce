import type { ReactNode } from 'react';
import cardStyles from '../ui/layout/card.module.css';
import styles from './list-empty.module.css';

/** In place of a list that has nothing in it, with what to do about it. */
export function ListEmpty({
  icon,
  title,
  text,
  action,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  action?: ReactNode;
}) {
  return (
    <section className={`${cardStyles.card} ${styles.empty}`}>
      <span className={styles.tile}>{icon}</span>
      <div role="status">
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {action}
    </section>
  );
}
