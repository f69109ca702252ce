import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { formErrors } from '../../api/failures/form-errors.js';
import {
  useEndOwnRecoveryMutation,
  useMakeRecoveryCodesMutation,
  useOwnRecoveryQuery,
} from '../../api/users/recovery.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import styles from '../passkeys/passkeys.module.css';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import { RecoveryCodesDialog } from '../two-factor/recovery-codes-dialog.js';
import '../passkeys/words/en.js';

/** The way back after the loss of all devices: the number of recovery codes, and new ones. */
export function RecoveryCodes({ user, asksPassword }: { user: CurrentUser; asksPassword: boolean }) {
  const { t } = useTranslation();
  const { data } = useOwnRecoveryQuery(undefined, { refetchOnMountOrArgChange: true });
  const [asking, setAsking] = useState(false);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (!data) return null;
  const made = (recoveryCodes: string[]) => {
    setAsking(false);
    setCodes(recoveryCodes);
  };
  return (
    <>
      <div className={styles.foot}>
        <span className={styles.fact}>
          <span className={styles.name}>{t('passkeys.codes.title')}</span>
          <span className={styles.text}>
            {data.codesLeft === null ? t('passkeys.codes.none') : t('passkeys.codes.left', { count: data.codesLeft })}
          </span>
        </span>
        <Button onClick={() => setAsking(true)}>
          {t(data.codesLeft === null ? 'passkeys.codes.make' : 'passkeys.codes.replace')}
        </Button>
      </div>
      {asking && (
        <MakeCodesDialog
          user={user}
          asksPassword={asksPassword}
          replaces={data.codesLeft !== null}
          onClose={() => setAsking(false)}
          onMade={made}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} lead={t('passkeys.codes.made')} onConfirm={() => setCodes(null)} />}
    </>
  );
}

/** Another person may have asked for it: a user who is signed in needs none. */
export function RunningRecovery() {
  const { t } = useTranslation();
  const { data } = useOwnRecoveryQuery();
  const [end, { isLoading }] = useEndOwnRecoveryMutation();
  const [errors, setErrors] = useState<string[]>([]);
  if (!data || data.readyAt === null) return null;
  const submit = async () => {
    setErrors([]);
    const { error } = await end();
    if (error) return setErrors(formErrors(error).form);
    notify('success', t('passkeys.codes.recoveryEnded'));
  };
  return (
    <div className={styles.running} role="status">
      <span className={styles.fact}>
        <span className={styles.name}>{t('passkeys.codes.recovery')}</span>
        <span className={styles.text}>{t('passkeys.codes.recoveryText', { at: longMoment(data.readyAt) })}</span>
        <ErrorList errors={errors} />
      </span>
      <Button danger loading={isLoading} onClick={submit}>
        {t('passkeys.codes.endRecovery')}
      </Button>
    </div>
  );
}

function MakeCodesDialog({
  user,
  asksPassword,
  replaces,
  onClose,
  onMade,
}: {
  user: CurrentUser;
  asksPassword: boolean;
  replaces: boolean;
  onClose: () => void;
  onMade: (codes: string[]) => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ currentPassword?: string }>();
  const [needsPassword, setNeedsPassword] = useState(asksPassword);
  const [errors, setErrors] = useState<string[]>([]);
  const [make, { isLoading }] = useMakeRecoveryCodesMutation();

  const submit = async ({ currentPassword }: { currentPassword?: string }) => {
    setErrors([]);
    const { data, error } = await make({ currentPassword });
    if (data) return onMade(data.recoveryCodes);
    const { fields, form: others } = formErrors(error, ['currentPassword']);
    setErrors(others);
    if (!fields.currentPassword) return;
    setNeedsPassword(true);
    // Before it is asked for, its absence is not a mistake of the user.
    if (needsPassword) form.setFields([{ name: 'currentPassword', errors: fields.currentPassword }]);
  };

  return (
    <Dialog open title={t('passkeys.codes.title')} onClose={onClose}>
      <p>{t('passkeys.codes.lead')}</p>
      {replaces && <p>{t('passkeys.codes.replaceLead')}</p>}
      <Form form={form} layout="vertical" onFinish={submit} noValidate>
        {needsPassword && <CurrentPasswordField user={user} />}
        <ErrorList errors={errors} />
        <Button type="primary" htmlType="submit" block loading={isLoading}>
          {t(replaces ? 'passkeys.codes.replace' : 'passkeys.codes.make')}
        </Button>
      </Form>
    </Dialog>
  );
}
