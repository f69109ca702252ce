import { Button, Form, Input } from 'antd';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { passkeyNameLength } from '../../../../src/contract/rules/users/passkeys.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import type { OwnPasskey } from '../../../../src/contract/users/passkeys.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useRemovePasskeyMutation, useRenamePasskeyMutation } from '../../api/users/passkeys.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { useNewPasskey } from '../passkeys/use-new-passkey.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import '../passkeys/words/en.js';

interface Closing {
  onClose: () => void;
  onDone: () => void;
}

/** Asks for the password where the sign-in is too old; the browser asks for the rest. */
export function AddPasskeyDialog({
  user,
  asksPassword,
  onClose,
  onStopped,
  onDone,
}: Closing & { user: CurrentUser; asksPassword: boolean; onStopped: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ currentPassword: string }>();
  const [needsPassword, setNeedsPassword] = useState(asksPassword);
  const [errors, setErrors] = useState<string[]>([]);
  const { make, busy } = useNewPasskey();

  const run = async (currentPassword?: string) => {
    setErrors([]);
    const result = await make(currentPassword);
    if (result === 'done') return onDone();
    if (result === 'stopped') return onStopped();
    const { currentPassword: wrong } = result.fields as { currentPassword?: string[] };
    setErrors(result.form);
    if (!wrong) return;
    setNeedsPassword(true);
    // Before it is asked for, its absence is not a mistake of the user.
    if (currentPassword !== undefined) form.setFields([{ name: 'currentPassword', errors: wrong }]);
  };
  const begin = useEffectEvent(() => void run());
  useEffect(() => {
    if (!asksPassword) begin();
  }, [asksPassword]);

  return (
    <Dialog open={needsPassword || errors.length > 0} title={t('passkeys.addTitle')} onClose={onClose}>
      {needsPassword && <p>{t('passkeys.addLead')}</p>}
      <Form
        form={form}
        layout="vertical"
        onFinish={({ currentPassword }) => run(needsPassword ? currentPassword : undefined)}
        noValidate
      >
        {needsPassword && <CurrentPasswordField user={user} />}
        <ErrorList errors={errors} />
        <Button type="primary" htmlType="submit" block loading={busy}>
          {t(needsPassword ? 'passkeys.goOn' : 'common.tryAgain')}
        </Button>
      </Form>
    </Dialog>
  );
}

export function RenamePasskeyDialog({ passkey, onClose, onDone }: Closing & { passkey: OwnPasskey }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ name: string }>();
  const refusal = useRefusal(form);
  const [rename, { isLoading }] = useRenamePasskeyMutation();
  const submit = async ({ name }: { name: string }) => {
    refusal.clear();
    const { error } = await rename({ id: passkey.id, name });
    if (!error) return onDone();
    refusal.show(error, ['name']);
  };
  return (
    <Dialog open title={t('passkeys.renameTitle')} onClose={onClose}>
      <Form form={form} layout="vertical" initialValues={{ name: passkey.name }} onFinish={submit} noValidate>
        <Form.Item name="name" label={t('passkeys.name')}>
          <Input maxLength={passkeyNameLength} autoComplete="off" />
        </Form.Item>
        <ErrorList errors={refusal.errors} />
        <Button type="primary" htmlType="submit" block loading={isLoading}>
          {t('passkeys.save')}
        </Button>
      </Form>
    </Dialog>
  );
}

/** Says why the only passkey of an account without a password stays. */
export function OnlyWayInDialog({ passkey, onClose }: { passkey: OwnPasskey; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      title={t('passkeys.removeTitle', { name: isolateName(passkey.name) })}
      onClose={onClose}
      actions={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <p>{t('passkeys.removeOnlyWay')}</p>
    </Dialog>
  );
}

/** Asks for the password, or a passkey, where the sign-in is too old. */
export function RemovePasskeyDialog({
  user,
  passkey,
  asksPassword,
  isLast,
  onClose,
  onDone,
}: Closing & { user: CurrentUser; passkey: OwnPasskey; asksPassword: boolean; isLast: boolean }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ currentPassword?: string }>();
  const formId = useId();
  const [needsPassword, setNeedsPassword] = useState(asksPassword);
  const [errors, setErrors] = useState<string[]>([]);
  const [remove, { isLoading }] = useRemovePasskeyMutation();
  const submit = async ({ currentPassword }: { currentPassword?: string }) => {
    setErrors([]);
    const { error } = await remove({ id: passkey.id, currentPassword });
    if (!error) return onDone();
    const problems = formErrors(error, ['currentPassword']);
    setErrors(problems.form);
    if (!problems.fields.currentPassword) return;
    setNeedsPassword(true);
    // Before it is asked for, its absence is not a mistake of the user.
    if (needsPassword) form.setFields([{ name: 'currentPassword', errors: problems.fields.currentPassword }]);
  };
  return (
    <Dialog
      open
      title={t('passkeys.removeTitle', { name: isolateName(passkey.name) })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" danger htmlType="submit" form={formId} loading={isLoading}>
            {t('passkeys.remove')}
          </Button>
        </>
      }
    >
      <p>{t('passkeys.removeText')}</p>
      {isLast && <p>{t('passkeys.removeLast')}</p>}
      <Form id={formId} form={form} layout="vertical" onFinish={submit} noValidate>
        {needsPassword && <CurrentPasswordField user={user} />}
      </Form>
      <ErrorList errors={errors} />
    </Dialog>
  );
}
