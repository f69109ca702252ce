import { InfoCircleOutlined } from '@ant-design/icons';
import { Button, Form } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fulfilsPasswordRules, passwordsDiffer } from '../../../../src/contract/rules/users/password.js';
import type { LinkFacts } from '../../../../src/contract/users/account.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PasswordChecklist } from '../../shared/ui/forms/password-checklist.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { ReadOnlyUsername } from '../../shared/ui/forms/read-only-field.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { PasskeyIcon } from '../passkeys/passkey-icon.js';
import { Chosen } from './chosen.js';
import { LinkEnded } from './link-ended.js';
import { ProofFields, proofKinds } from './link-proof.js';
import { RecoveryWait } from './recovery-wait.js';
import { type LinkFields, type LinkUse, type Means, signsInAfter, useLinkChoice } from './use-link-choice.js';
import '../login/words/en.js';
import '../passkeys/words/en.js';

/** The choice of a password, or of a passkey where the portal has them. */
export function PasswordForm(use: LinkUse & { facts: LinkFacts }) {
  const { facts, purpose, link, texts } = use;
  const { t } = useTranslation();
  const { passkeysAllowed, passkeysRequired } = useSettings();
  const [form] = Form.useForm<LinkFields>();
  /** Where passkeys are required, an invited user chooses a password on a device that makes none. */
  const [notHere, setNotHere] = useState(false);
  const canMake = passkeysAllowed && supportsPasskeys();
  const passkeyFirst = canMake && passkeysRequired && purpose === 'activation';
  const withPassword = !passkeyFirst || notHere;
  const chosenProof = Form.useWatch('by', form);
  const by = facts.proof && (chosenProof ?? proofKinds(facts.proof)[0] ?? 'wait');
  const { progress, choose } = useLinkChoice(use, form, by);
  const busy = progress.is === 'busy' ? progress.means : null;

  // The button may be drawn later than the last character is typed.
  const byPassword = ({ password, confirmation }: LinkFields) =>
    password === confirmation ? choose('password') : undefined;

  /** A code that is missing is asked for first. */
  const byPasskey = async () => {
    const code = by === 'recoveryCode' || by === 'verificationCode' ? [by] : [];
    const isComplete = await form.validateFields(code).then(
      () => true,
      () => false,
    );
    if (isComplete) await choose('passkey');
  };

  if (progress.is === 'chosen' && facts.elsewhere) {
    return <Chosen facts={facts} app={facts.elsewhere} done={progress.done} />;
  }
  if (progress.is === 'gone') return <NotFoundPage />;
  if (progress.is === 'link-ended') return <LinkEnded errors={progress.errors} wayOn={texts.wayOn} />;
  return (
    <Form<LinkFields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={(fields) => (withPassword ? byPassword(fields) : byPasskey())}
      noValidate
    >
      <p className={card.lead}>{withPassword ? texts.lead : t('choosePassword.passkeyFirstLead')}</p>
      <Notes facts={facts} />
      {/* For whom it is, to people and to password managers. */}
      <ReadOnlyUsername label={t('common.email')} value={facts.email} reason={t('choosePassword.fixedEmail')} />
      {facts.proof && by && <ProofFields proof={facts.proof} by={by} />}
      {facts.proof && by === 'wait' ? (
        <RecoveryWait link={link} proof={facts.proof} />
      ) : (
        <>
          {canMake && (
            <PasskeyButton
              primary={!withPassword}
              text={t(passkeyFirst ? 'choosePassword.passkeyFirst' : 'choosePassword.passkey')}
              stopped={progress.is === 'open' && progress.stopped === 'making'}
              busy={busy}
              onClick={byPasskey}
            />
          )}
          {withPassword && <PasswordFields autoFocus={notHere} />}
          <ErrorList errors={progress.is === 'open' ? progress.errors : []} />
          <QuietStatus>
            {progress.is === 'open' && progress.stopped === 'proof' && t('login.passkeyStopped')}
          </QuietStatus>
          {withPassword ? (
            <PasswordButton text={signsInAfter(facts) ? t('choosePassword.saveAndSignIn') : texts.submit} busy={busy} />
          ) : (
            <Button block disabled={busy === 'passkey'} onClick={() => setNotHere(true)}>
              {t('choosePassword.notHere')}
            </Button>
          )}
        </>
      )}
    </Form>
  );
}

/** The app that waits in another browser, and the user who will be signed out. */
function Notes({ facts: { elsewhere, endsTwoFactor } }: { facts: LinkFacts }) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  return (
    <>
      {elsewhere && (
        <Note>
          {t(elsewhere.isWaiting ? 'choosePassword.elsewhere' : 'choosePassword.elsewhereEnded', {
            client: isolateName(elsewhere.clientName),
          })}
        </Note>
      )}
      {endsTwoFactor && <Note>{t('choosePassword.endsTwoFactor')}</Note>}
      {user && <Note>{t('choosePassword.signedIn', { name: isolateName(user.fullName) })}</Note>}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className={card.notice}>
      <InfoCircleOutlined aria-hidden />
      <span>{children}</span>
    </p>
  );
}

function PasskeyButton({
  primary,
  text,
  stopped,
  busy,
  onClick,
}: {
  primary: boolean;
  text: string;
  stopped: boolean;
  busy: Means | null;
  onClick: () => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Button
        type={primary ? 'primary' : 'default'}
        block
        icon={<PasskeyIcon />}
        loading={busy === 'passkey'}
        disabled={busy === 'password'}
        onClick={onClick}
      >
        {text}
      </Button>
      <QuietStatus>{t(stopped ? 'passkeys.stopped' : 'choosePassword.passkeyHint')}</QuietStatus>
      <p className={card.or}>{t('common.or')}</p>
    </>
  );
}

/** The values of the form around the calling component. */
function useTyped() {
  const form = Form.useFormInstance<LinkFields>();
  return { password: Form.useWatch('password', form) ?? '', confirmation: Form.useWatch('confirmation', form) ?? '' };
}

function PasswordFields({ autoFocus }: { autoFocus: boolean }) {
  const { t } = useTranslation();
  const { passwordSettings } = useSettings();
  const { password, confirmation } = useTyped();
  const differ = password !== '' && confirmation !== '' && password !== confirmation;
  return (
    <>
      <Form.Item name="password" label={t('choosePassword.password')}>
        <PasswordInput autoFocus={autoFocus} autoComplete="new-password" />
      </Form.Item>
      <PasswordChecklist password={password} settings={passwordSettings} />
      <Form.Item
        name="confirmation"
        label={t('choosePassword.confirmation')}
        {...(differ ? { validateStatus: 'error', help: translateMessage(passwordsDiffer) } : {})}
      >
        <PasswordInput autoComplete="new-password" />
      </Form.Item>
    </>
  );
}

function PasswordButton({ text, busy }: { text: string; busy: Means | null }) {
  const { passwordSettings } = useSettings();
  const { password, confirmation } = useTyped();
  return (
    <Button
      type="primary"
      htmlType="submit"
      block
      loading={busy === 'password'}
      disabled={busy === 'passkey' || !fulfilsPasswordRules(password, passwordSettings) || password !== confirmation}
    >
      {text}
    </Button>
  );
}
