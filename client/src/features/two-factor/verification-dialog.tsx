import './words/en.js';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { VerificationForm } from './verification-form.js';

/** The second step of signing in (`spec §2` Two-factor verification dialog); closing it forgets what was entered. */
export function VerificationDialog({
  open,
  onClose,
  ...verification
}: ComponentProps<typeof VerificationForm> & { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open={open} title={t('verification.title')} width={424} onClose={onClose}>
      <VerificationForm {...verification} />
    </Dialog>
  );
}
