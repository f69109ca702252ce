import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { isolateName } from '../../i18n/isolate-name.js';
import { Dialog } from '../overlays/dialog.js';
import styles from './message-page.module.css';

const refresh = () => window.location.reload();

/** 'Oh No!' over a page from which something has gone; `name` says which one of a list it was (`spec §8`). */
export function NotFoundDialog({ name, text }: { name?: string; text: string }) {
  const { t } = useTranslation();
  const button = (
    <Button type="primary" onClick={refresh}>
      {t('common.refresh')}
    </Button>
  );
  return (
    <Dialog open title={t('gone.title')} actions={button}>
      {name && <strong>{isolateName(name)}</strong>}
      <p>{text}</p>
    </Dialog>
  );
}

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
