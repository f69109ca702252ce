import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Disclaimer } from '../../../../src/contract/disclaimers.js';
import { TextDialog } from '../../shared/ui/overlays/text-dialog.js';

/** The text of a disclaimer, with the button that agrees to it. */
export function DisclaimerDialog({
  disclaimer,
  open,
  onClose,
  onAccept,
}: {
  disclaimer: Disclaimer;
  open: boolean;
  onClose: () => void;
  onAccept: () => void;
}) {
  const { t } = useTranslation();
  return (
    <TextDialog
      open={open}
      title={disclaimer.description}
      html={disclaimer.disclaimerHtml}
      onClose={onClose}
      actions={
        disclaimer.hasAlreadyAgreed ? (
          <Button type="primary" onClick={onClose}>
            {t('common.close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="primary" onClick={onAccept}>
              {t('disclaimers.accept')}
            </Button>
          </>
        )
      }
    />
  );
}
