import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useRemovePasswordMutation } from '../../api/users/account.js';
import { useOwnRecoveryQuery } from '../../api/users/recovery.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import styles from './account-settings.module.css';
import { Row } from './row.js';
import '../passkeys/words/en.js';

/** Removes the password of a user with a passkey, which they have to use for it. */
export function RemovePassword({ user, passkeys }: { user: CurrentUser; passkeys: number }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Row
        label={t('passkeys.password.remove')}
        value={t('passkeys.password.removeHelp')}
        action={
          <Button
            type="link"
            className={styles.link ?? ''}
            aria-label={t('passkeys.password.remove')}
            onClick={() => setOpen(true)}
          >
            {t('passkeys.remove')}
          </Button>
        }
      />
      <Dialog open={open} title={t('passkeys.password.removeTitle')} onClose={close}>
        <RemoveForm user={user} passkeys={passkeys} onDone={close} />
      </Dialog>
    </>
  );
}

function RemoveForm({ user, passkeys, onDone }: { user: CurrentUser; passkeys: number; onDone: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ currentPassword?: string }>();
  const { data: recovery } = useOwnRecoveryQuery();
  const [errors, setErrors] = useState<string[]>([]);
  const [remove, { isLoading }] = useRemovePasswordMutation();
  const submit = async () => {
    setErrors([]);
    const { error } = await remove();
    if (error) {
      const { form: others, fields } = formErrors(error, ['currentPassword']);
      setErrors(others);
      // The proof is too old by now.
      if (fields.currentPassword) form.resetFields();
      return form.setFields([{ name: 'currentPassword', errors: fields.currentPassword ?? [] }]);
    }
    notify('success', t('passkeys.password.removed'));
    onDone();
  };
  return (
    <Form form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
      <p className={styles.lead}>{t('passkeys.password.removeText')}</p>
      {passkeys < 2 && recovery && !recovery.codesLeft && (
        <p className={styles.lead}>{t('passkeys.password.removeAdvice')}</p>
      )}
      <CurrentPasswordField user={{ ...user, hasNoPassword: true }} />
      <ErrorList errors={errors} />
      <Button type="primary" danger htmlType="submit" block loading={isLoading}>
        {t('passkeys.password.remove')}
      </Button>
    </Form>
  );
}
