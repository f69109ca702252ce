import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

/** Signing in for an app is not possible before the FHIR server has been read (`spec §8`). */
export function InitializingDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      title={t('login.initializingTitle')}
      onClose={onClose}
      actions={
        <Button type="primary" onClick={onClose}>
          {t('common.ok')}
        </Button>
      }
    >
      {t('login.initializingText')}
    </Dialog>
  );
}
