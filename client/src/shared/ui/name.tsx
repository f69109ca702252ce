import styles from './name.module.css';

/** What somebody else has called something, in a list: at most two lines, read from whichever side its letters are. */
export function Name({ children }: { children: string }) {
  return (
    <span className={styles.name}>
      <bdi>{children}</bdi>
    </span>
  );
}
