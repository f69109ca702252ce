import { ExclamationCircleFilled } from '@ant-design/icons';
import styles from './error-list.module.css';

/** Errors of a form as a whole, under its fields; announced when they appear. */
export function ErrorList({ errors }: { errors: readonly string[] }) {
  return (
    <div role="alert">
      {errors.length > 0 && (
        <ul className={styles.errors}>
          {errors.map((error) => (
            <li key={error}>
              <ExclamationCircleFilled aria-hidden />
              <span>{error}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
