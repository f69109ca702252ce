import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

/** A part of a page: its subject on the left, a card on the right. `wide` gives the card more of the width. */
export function Section({
  title,
  help,
  wide = false,
  children,
}: {
  title: string;
  help?: string;
  wide?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={wide ? `${styles.section} ${styles.wide}` : styles.section} aria-labelledby={id}>
      <div className={styles.about}>
        <h2 id={id}>{title}</h2>
        {help && <p>{help}</p>}
      </div>
      {children}
    </section>
  );
}
