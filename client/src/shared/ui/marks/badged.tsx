import type { ReactNode } from 'react';
import { initials, initialsOfUser } from '../../../../../src/contract/rules/initials.js';
import styles from './badged.module.css';

/**
 * A picture with a small one at its lower right corner: round for a user, square for an app. Both names stand next to
 * it.
 */
export function Badged({ name, round, children }: { name: string; round?: boolean; children: ReactNode }) {
  return (
    <span className={styles.badged} aria-hidden="true">
      {children}
      <span className={round ? styles.badge : `${styles.badge} ${styles.square}`}>
        {round ? initialsOfUser(name) : initials(name)}
      </span>
    </span>
  );
}
