import { ExclamationCircleFilled } from '@ant-design/icons';
import { useEffect, useRef } from 'react';
import styles from './error-list.module.css';

/** Errors of a form as a whole; announced and scrolled into view when they appear. */
export function ErrorList({ errors }: { errors: readonly string[] }) {
  const list = useRef<HTMLDivElement>(null);
  const text = errors.join('\n');
  useEffect(() => {
    if (text !== '') list.current?.scrollIntoView({ block: 'nearest' });
  }, [text]);
  return (
    <div ref={list} role="alert">
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
