import styles from './name.module.css';

/**
 * A name given by another user, in a list: at most two lines, read from the side where its script begins. An email
 * address breaks before its domain.
 */
export function Name({ children }: { children: string }) {
  const domain = children.lastIndexOf('@') + 1;
  return (
    <span className={styles.name}>
      <bdi>
        {children.slice(0, domain)}
        {domain > 0 && <wbr />}
        {children.slice(domain)}
      </bdi>
    </span>
  );
}
