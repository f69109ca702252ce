import { useTranslation } from 'react-i18next';
import styles from './show-button.module.css';
import './words/en.js';

/** 'Show'. A screen reader also reads which of several texts it shows. */
export function ShowButton({ what, onClick }: { what: string; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={styles.show}
      aria-label={t('disclaimers.showOf', { disclaimer: what })}
      onClick={onClick}
    >
      {t('disclaimers.show')}
    </button>
  );
}
