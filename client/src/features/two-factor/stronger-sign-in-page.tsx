import '../passkeys/words/en.js';
import './words/en.js';
import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser, SignInLack } from '../../../../src/contract/session.js';
import type { OwnPasskeys } from '../../../../src/contract/users/passkeys.js';
import { useLazySessionQuery, useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { usePasskeysQuery } from '../../api/users/passkeys.js';
import { useTwoFactorSetupQuery } from '../../api/users/two-factor.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { signOut } from '../../shared/browser/sign-out.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { PasskeyIcon } from '../passkeys/passkey-icon.js';
import styles from '../passkeys/passkeys.module.css';
import { useConfirmation } from '../passkeys/use-confirmation.js';
import { useNewPasskey } from '../passkeys/use-new-passkey.js';
import { Activation } from './activation.js';
import { CurrentPasswordField } from './current-password-field.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';
import '../login/words/en.js';

/**
 * Leads an administrator whose sign-in lacks what this portal needs to add it, or to use it. The routing rules
 * continue.
 */
export function StrongerSignInPage() {
  const { t } = useTranslation();
  const { organizationTitle } = useSettings();
  const { data: user } = useSessionQuery();
  if (!user?.lacks) return null;
  return (
    <>
      <PageTitle className={card.title}>{t('passkeys.stronger.title')}</PageTitle>
      <p className={card.lead}>
        {t(`passkeys.stronger.${user.lacks}`, { organization: isolateName(organizationTitle ?? t('product.name')) })}
      </p>
      <Ways user={user} lacks={user.lacks} />
      <Button type="text" block className={card.below ?? ''} onClick={() => signOut()}>
        {t('passkeys.stronger.signOut')}
      </Button>
    </>
  );
}

function Ways({ user, lacks }: { user: CurrentUser; lacks: SignInLack }) {
  const { t } = useTranslation();
  const { passkeysAllowed } = useSettings();
  const [loadSession] = useLazySessionQuery();
  const byPasskey = passkeysAllowed && supportsPasskeys() && !user.isExternal;
  const { data: own, isError, isFetching, refetch } = usePasskeysQuery(undefined, { skip: !passkeysAllowed });
  if (passkeysAllowed && !user.isExternal && !own) {
    return isError && !isFetching ? <LoadFailed onRetry={refetch} /> : null;
  }
  const hasPasskey = (own?.passkeys.length ?? 0) > 0;
  const goOn = () => void loadSession();
  return (
    <>
      {own && byPasskey && (hasPasskey ? <Use onDone={goOn} /> : <Make user={user} own={own} />)}
      {!byPasskey && (lacks === 'passkey' || hasPasskey) && (
        <p className={styles.next}>{t('passkeys.stronger.unsupported')}</p>
      )}
      {lacks === 'two-factor' && !hasPasskey && !user.is2faEnabled && (
        <>
          {byPasskey && <p className={card.or}>{t('common.or')}</p>}
          <App onDone={goOn} />
        </>
      )}
    </>
  );
}

function Use({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { run, busy, stopped } = useConfirmation();
  const [errors, setErrors] = useState<string[]>([]);
  const press = async () => {
    setErrors([]);
    const result = await run();
    if (result === 'done') onDone();
    else if (result !== 'stopped') setErrors(result);
  };
  return (
    <>
      <p className={styles.next}>{t('passkeys.stronger.use')}</p>
      <ErrorList errors={errors} />
      <Button type="primary" block icon={<PasskeyIcon />} loading={busy} onClick={press}>
        {t('passkeys.useIt')}
      </Button>
      <QuietStatus>{stopped && t('login.passkeyStopped')}</QuietStatus>
      <p className={styles.again}>{t('passkeys.stronger.elsewhere')}</p>
    </>
  );
}

function Make({ user, own }: { user: CurrentUser; own: OwnPasskeys }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ currentPassword?: string }>();
  const { make, busy, stopped } = useNewPasskey();
  const [errors, setErrors] = useState<string[]>([]);
  const [asksPassword, setAsksPassword] = useState(own.currentPasswordRequired);
  const submit = async ({ currentPassword }: { currentPassword?: string }) => {
    setErrors([]);
    const result = await make(currentPassword);
    if (result === 'stopped') return;
    if (result === 'done') return notify('success', t('passkeys.added'));
    const { currentPassword: wrong } = result.fields as { currentPassword?: string[] };
    setErrors(result.form);
    if (!wrong) return;
    setAsksPassword(true);
    if (asksPassword) form.setFields([{ name: 'currentPassword', errors: wrong }]);
  };
  return (
    <Form form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
      <p className={styles.next}>{t('passkeys.stronger.make')}</p>
      {asksPassword && <CurrentPasswordField user={user} />}
      <ErrorList errors={errors} />
      <Button type="primary" htmlType="submit" block icon={<PasskeyIcon />} loading={busy}>
        {t('passkeys.offer.create')}
      </Button>
      <QuietStatus>{stopped && t('passkeys.stopped')}</QuietStatus>
    </Form>
  );
}

function App({ onDone }: { onDone: () => void }) {
  const { data: setup, isError, isFetching, refetch } = useTwoFactorSetupQuery({ returnUrl: null });
  const [codes, setCodes] = useState<string[] | null>(null);
  if (!setup) return isError && !isFetching ? <LoadFailed onRetry={refetch} /> : null;
  return (
    <>
      <Activation
        setup={setup}
        returnUrl={null}
        onActivated={(made) => (made ? setCodes(made) : onDone())}
        onGone={onDone}
        onStale={refetch}
      />
      {codes && <RecoveryCodesDialog codes={codes} onConfirm={onDone} />}
    </>
  );
}
