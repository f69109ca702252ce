import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import styles from './message-page.module.css';

const refresh = () => window.location.reload();

/** 'Oh No!' in place of a page that has nothing left to show. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <div className={styles.message} role="alert">
      <h1>{t('gone.title')}</h1>
      <p>{t('gone.general')}</p>
      <Button type="primary" onClick={refresh}>
        {t('common.refresh')}
      </Button>
    </div>
  );
}
