import styles from './skeleton.module.css';

/** One bar of a skeleton, in the place and size of what is coming. */
export function Skeleton({ width = '100%', height = 14 }: { width?: number | string; height?: number }) {
  return <span className={styles.bone} style={{ width, height }} />;
}
