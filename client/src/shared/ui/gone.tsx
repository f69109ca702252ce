import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { named } from '../i18n/named.js';
import { Dialog } from './dialog.js';
import styles from './message-page.module.css';

const refresh = () => window.location.reload();

/** 'Oh No!' over a page from which something has gone; `name` says which one of a list it was (`spec §8`). */
export function GoneDialog({ name, text }: { name?: string; text: string }) {
  const { t } = useTranslation();
  const button = (
    <Button type="primary" onClick={refresh}>
      {t('common.refresh')}
    </Button>
  );
  return (
    <Dialog open title={t('gone.title')} actions={button}>
      {name && <strong>{named(name)}</strong>}
      <p>{text}</p>
    </Dialog>
  );
}

/** 'Oh No!' in place of a page that has nothing left to show. */
export function GonePage() {
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
