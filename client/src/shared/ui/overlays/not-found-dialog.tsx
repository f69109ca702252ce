import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { isolateName } from '../../i18n/isolate-name.js';
import { Dialog } from './dialog.js';

/** 'Oh No!' over a page from which something has gone; `name` says which one of a list it was (`spec §8`). */
export function NotFoundDialog({ name, text }: { name?: string; text: string }) {
  const { t } = useTranslation();
  const button = (
    <Button type="primary" onClick={() => window.location.reload()}>
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
