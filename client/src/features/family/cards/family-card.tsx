import type { ReactNode } from 'react';
import cardStyles from '../../../shared/ui/layout/card.module.css';
import { Monogram } from '../../../shared/ui/marks/monogram.js';
import styles from '../family.module.css';

/** A card of *Family and carers*: the person's name over one line, a badge next to them, and the content. */
export function FamilyCard({
  name,
  line,
  badge,
  children,
}: {
  name: string;
  line: string;
  badge?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className={`${cardStyles.card} ${styles.card}`}>
      <div className={styles.head}>
        <Monogram name={name} size={48} round />
        <div className={styles.who}>
          <h3>
            <bdi>{name}</bdi>
          </h3>
          <p>{line}</p>
        </div>
        {badge}
      </div>
      {children}
    </li>
  );
}
