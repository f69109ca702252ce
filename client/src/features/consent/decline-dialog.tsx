import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

/** Asks before the app is turned away. */
export function DeclineDialog({
  open,
  request: { clientName, ownRecord, patient },
  busy,
  onConfirm,
  onCancel,
}: {
  open: boolean;
  request: ConsentRequest;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const client = isolateName(clientName);
  const text = ownRecord
    ? t('consent.declineText', { client })
    : patient
      ? t('consent.declineTextNamed', { client, patient: isolateName(patient.name) })
      : t('consent.declineTextMany', { client });
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
      {text}
    </Dialog>
  );
}
