import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../api/settings.js';
import { useAddUserMutation } from '../../api/users/users.js';
import { notify } from '../../shared/notices.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { useUserForm } from './user-form.js';
import styles from './users-page.module.css';

/** A new patient or practitioner, who is invited by mail, or by a link that the administrator hands over. */
export function AddUserDialog({
  open,
  onClose,
  afterClose,
  onUninvited,
}: {
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  /** Called in place of `onClose` with the id of a user whose invitation has to be handed over. */
  onUninvited: (id: string) => void;
}) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const [add, { isLoading }] = useAddUserMutation();
  const { fields, question, leave, finish } = useUserForm(undefined, async (draft) => {
    const result = await add(draft);
    if (result.data) {
      const { id } = result.data;
      notify('success', t('users.added'));
      finish(mailWaits ? () => onUninvited(id) : onClose);
    }
    return result;
  });
  const close = () => leave(onClose);
  return (
    <>
      <Dialog open={open} title={t('users.add')} width={560} onClose={close} afterClose={afterClose}>
        <p className={styles.lead}>{t(mailWaits ? 'users.inviteHelpByHand' : 'users.inviteHelp')}</p>
        {fields(
          'add-user',
          <div className={styles.actions}>
            <Button onClick={close}>{t('common.cancel')}</Button>
            <Button type="primary" htmlType="submit" loading={isLoading}>
              {t('users.add')}
            </Button>
          </div>,
        )}
      </Dialog>
      {question}
    </>
  );
}
