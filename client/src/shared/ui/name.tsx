import styles from './name.module.css';

/** A name given by another user, in a list: at most two lines, read from the side where its script begins. */
export function Name({ children }: { children: string }) {
  return (
    <span className={styles.name}>
      <bdi>{children}</bdi>
    </span>
  );
}
