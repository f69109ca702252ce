import { tagColorProblem } from '../../../../../src/contract/rules/tag.js';
import styles from './tag-mark.module.css';

/** A tag's own colour, as a square so small that any colour is legible next to it. */
export function TagMark({ color }: { color: string }) {
  const backgroundColor = tagColorProblem(color) === undefined ? color : 'transparent';
  return <span className={styles.mark} style={{ backgroundColor }} aria-hidden="true" />;
}
