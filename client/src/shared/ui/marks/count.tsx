import styles from './count.module.css';

/** A number next to a title. `words` says what is counted, for screen readers; without a number the mark is empty. */
export function Count({ shown, words }: { shown: string | undefined; words: string }) {
  return (
    <span className={styles.count}>
      {shown !== undefined && (
        <>
          <span aria-hidden>{shown}</span>
          <span className="visually-hidden">{words}</span>
        </>
      )}
    </span>
  );
}
