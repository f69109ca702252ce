import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './message-page.module.css';

/**
 * Stands where content should be that could not be loaded: the notice in the bar is gone after three seconds. It tries
 * by itself when the network is back.
 */
export function LoadFailed({
  onRetry,
  heading: Heading = 'h2',
  title,
  text,
}: {
  onRetry: () => void;
  heading?: 'h1' | 'h2';
  title?: string;
  /** Names the failed part, where it is known. */
  text?: string | undefined;
}) {
  const { t } = useTranslation();
  const retry = useRef(onRetry);
  retry.current = onRetry;
  useEffect(() => {
    const online = () => retry.current();
    window.addEventListener('online', online);
    return () => window.removeEventListener('online', online);
  }, []);
  return (
    <div className={styles.message} role="alert">
      <Heading>{title ?? t('errors.generic')}</Heading>
      <p>{text ?? t('errors.loadFailed')}</p>
      <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
    </div>
  );
}
