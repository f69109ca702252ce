import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

/** Asks before the app is turned away. */
export function DeclineDialog({
  open,
  client,
  busy,
  onConfirm,
  onCancel,
}: {
  open: boolean;
  client: string;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Dialog
      open={open}
      title={t('consent.declineTitle')}
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={busy} onClick={onConfirm}>
            {t('consent.confirmDecline')}
          </Button>
        </>
      }
    >
      {t('consent.declineText', { client: isolateName(client) })}
    </Dialog>
  );
}
