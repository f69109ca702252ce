import { useTranslation } from 'react-i18next';
import styles from './progress.module.css';

/** A line at the top, while the page stays that was there and the next one takes long to come. */
export function Progress() {
  const { t } = useTranslation();
  return (
    <div role="status" className={styles.progress}>
      <span className="visually-hidden">{t('common.loading')}</span>
    </div>
  );
}
