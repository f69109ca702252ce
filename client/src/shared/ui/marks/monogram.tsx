import { initials, initialsOfUser } from '../../../../../src/contract/rules/initials.js';
import styles from './monogram.module.css';

/** Stands in for the picture of an app (square) or a person (round); always next to the name. */
export function Monogram({ name, size, round }: { name: string; size: number; round?: boolean }) {
  return (
    <span
      className={styles.monogram}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.385), borderRadius: round ? '50%' : 12 }}
      aria-hidden="true"
    >
      {round ? initialsOfUser(name) : initials(name)}
    </span>
  );
}
