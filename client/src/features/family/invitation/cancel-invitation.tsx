import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { InvitationView } from '../../../../../src/contract/invitations.js';
import { failureText, isGone } from '../../../api/failures/form-errors.js';
import { useCancelInvitationMutation } from '../../../api/own-record/family.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';

/** The question before an invitation is cancelled. */
export function CancelInvitation({
  invitation,
  open,
  onClose,
  onDone,
}: {
  invitation: InvitationView;
  open: boolean;
  onClose: () => void;
  onDone?: () => void;
}) {
  const { t } = useTranslation();
  const [send, { isLoading, error, reset }] = useCancelInvitationMutation();
  const close = () => {
    reset();
    onClose();
  };
  const cancel = async () => {
    const { error: failure } = await send({ id: invitation.id });
    if (failure && !isGone(failure)) return;
    onClose();
    notify('success', t('family.cancelled'));
    onDone?.();
  };
  return (
    <Dialog
      open={open}
      title={t('family.cancelTitle', { name: isolateName(invitation.fullName) })}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.close')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={cancel}>
            {t('family.cancelInvitation')}
          </Button>
        </>
      }
    >
      <p>{t('family.cancelText')}</p>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
