import { useTranslation } from 'react-i18next';
import { useSlow } from '../../loading/use-slow.js';
import styles from './loading-overlay.module.css';

/** Covers the page while there is nothing to show yet, or while the browser leaves for another address. */
export function LoadingOverlay() {
  const { t } = useTranslation();
  const slow = useSlow(true);
  return (
    <div className={styles.overlay} role="status">
      {slow && <span className={styles.arc} aria-hidden="true" />}
      <span className="visually-hidden">{slow ? t('common.loading') : ''}</span>
    </div>
  );
}
