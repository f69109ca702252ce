import '../../shared/i18n/passwords-texts.js';
import { InfoCircleOutlined } from '@ant-design/icons';
import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { fulfilsPasswordRules, passwordsDiffer } from '../../../../src/contract/rules/users/password.js';
import type { LinkCheck, LinkFacts } from '../../../../src/contract/users/account.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useLazySessionQuery, useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { type PasswordChoice, useCheckLinkQuery } from '../../api/users/account.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PasswordChecklist } from '../../shared/ui/forms/password-checklist.js';
import { PasswordInput } from '../../shared/ui/forms/password-input.js';
import { ReadOnlyUsername } from '../../shared/ui/forms/read-only-field.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { PasskeyIcon } from '../passkeys/passkey-icon.js';
import { Chosen } from './chosen.js';
import { LinkEnded, type WayOn } from './link-ended.js';
import { ProofFields, type ProofFieldValues, proofKinds, useLinkProof } from './link-proof.js';
import styles from './passwords.module.css';
import { RecoveryWait } from './recovery-wait.js';
import { useLink } from './use-link.js';
import { type Made, useLinkPasskey } from './use-link-passkey.js';

interface Fields extends ProofFieldValues {
  password: string;
  confirmation: string;
}

/** The fields that a refusal may name; one that is not shown has its problems above the button. */
const named = ['recoveryCode', 'verificationCode', 'passkey', 'response', 'password'] as const;

interface Answer {
  error?: unknown;
}

type Means = 'password' | 'passkey';

/** The end of a choice: a refusal, or none; a user who stopped; or what failed in this browser. */
type Outcome = { error: unknown } | { stopped: true } | { failed: string[] };

interface Texts {
  title: string;
  lead: string;
  submit: string;
  /** The message of success, on the sign-in page. */
  done: string;
  /** The next page for a user whose link is no longer valid. */
  wayOn: WayOn;
}

/** Choosing a password with a link that came by mail, for the first time or after it was forgotten. */
export function ChoosePassword({
  purpose,
  texts,
  send,
}: {
  purpose: LinkCheck['purpose'];
  texts: Texts;
  send: (choice: PasswordChoice) => PromiseLike<Answer>;
}) {
  const { t } = useTranslation();
  const { link, forget } = useLink();
  return (
    <>
      {link ? (
        <Checked link={link} purpose={purpose} texts={texts} send={send} onDone={forget} />
      ) : (
        <>
          <PageTitle className={card.title}>{texts.title}</PageTitle>
          <LinkEnded errors={[t('choosePassword.noLink')]} wayOn={{ label: t('common.goToLogin'), page: '/login' }} />
        </>
      )}
    </>
  );
}

interface OfLink {
  purpose: LinkCheck['purpose'];
  link: MailedLink;
  texts: Texts;
  send: (choice: PasswordChoice) => PromiseLike<Answer>;
  onDone: () => void;
}

/** A link that is no longer good says so before a password is thought of. */
function Checked(rest: OfLink) {
  const { data, error, refetch } = useCheckLinkQuery({ ...rest.link, purpose: rest.purpose });
  return (
    <>
      {data?.app && <AppPlace app={data.app} />}
      <PageTitle className={card.title}>{rest.texts.title}</PageTitle>
      {data ? <PasswordForm facts={data} {...rest} /> : error && <Refused error={error} refetch={refetch} {...rest} />}
    </>
  );
}

function Refused({ error, refetch, ...rest }: OfLink & { error: unknown; refetch: () => void }) {
  const { status } = error as { status?: unknown };
  const errors = formErrors(error).form;
  if (status === 400) return <LinkEnded errors={errors} wayOn={rest.texts.wayOn} />;
  return (
    <div className={card.instead}>
      {status === 429 ? <ErrorList errors={errors} /> : <LoadFailed onRetry={refetch} />}
    </div>
  );
}

function PasswordForm({ facts, purpose, link, texts, send, onDone }: OfLink & { facts: LinkFacts }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { passwordSettings, passkeysAllowed, passkeysRequired } = useSettings();
  const { data: user } = useSessionQuery();
  const [loadSession] = useLazySessionQuery();
  const [form] = Form.useForm<Fields>();
  const password = Form.useWatch('password', form) ?? '';
  const confirmation = Form.useWatch('confirmation', form) ?? '';
  const [errors, setErrors] = useState<string[]>([]);
  const [busy, setBusy] = useState<Means | null>(null);
  /** The user has stopped a ceremony, which has changed nothing. */
  const [stopped, setStopped] = useState(false);
  const [gone, setGone] = useState(false);
  const [ended, setEnded] = useState(false);
  const [chosen, setChosen] = useState<Means | null>(null);
  /** Where passkeys are required, an invited user chooses a password on a device that makes none. */
  const [notHere, setNotHere] = useState(false);
  const canMake = passkeysAllowed && supportsPasskeys();
  const passkeyFirst = canMake && passkeysRequired && purpose === 'activation';
  const withPassword = !passkeyFirst || notHere;
  const gatherProof = useLinkProof(link);
  const chosenProof = Form.useWatch('by', form);
  const by = facts.proof && (chosenProof ?? proofKinds(facts.proof)[0] ?? 'wait');
  const differ = password !== '' && confirmation !== '' && password !== confirmation;
  const makePasskey = useLinkPasskey(link, purpose);

  const act = async (means: Means) => {
    setErrors([]);
    setStopped(false);
    setBusy(means);
    const outcome = await (means === 'passkey' ? chosenPasskey() : chosenPassword()).catch(() => ({
      failed: [t('passkeys.notMade')],
    }));
    setBusy(null);
    if ('stopped' in outcome) return setStopped(means === 'passkey');
    if ('failed' in outcome) return setErrors(outcome.failed);
    return outcome.error ? showRefusal(outcome.error) : goOn(means);
  };

  /** The proof beside the link, then what is sent with it. */
  const withProof = async (send: (proof: Record<string, unknown>) => PromiseLike<Made>): Promise<Outcome> => {
    const gathered = by ? await gatherProof(by, form.getFieldsValue(true)) : { proof: {} };
    // A user who stopped has changed nothing.
    if (!('proof' in gathered)) return 'errors' in gathered ? { failed: gathered.errors } : { stopped: true };
    const { error, stopped, failed } = await send(gathered.proof);
    if (stopped) return { stopped };
    if (failed !== undefined) return { failed: [failed] };
    // The previous user is signed out; the sign-in page is not for signed-in users.
    if (!error && user) await loadSession();
    return { error };
  };
  const chosenPassword = () => withProof((proof) => send({ ...link, password, ...proof }));
  const chosenPasskey = () => withProof(makePasskey);

  const goOn = (means: Means) => {
    onDone();
    // The request waits in another browser, or the app has to start again: that is for the user to do.
    if (facts.elsewhere) return setChosen(means);
    notify('success', doneOf(means));
    return navigate(withReturnUrl('/login', facts.returnUrl), { replace: true, state: { email: facts.email } });
  };
  const doneOf = (means: Means) => (means === 'passkey' ? t('choosePassword.passkeyDone') : texts.done);

  const showRefusal = (error: unknown) => {
    const { status } = error as { status?: unknown };
    if (status === 404) return setGone(true);
    const problems = formErrors(error, named);
    const shown = (['recoveryCode', 'verificationCode', 'password'] as const).filter(
      (name) => name === 'password' || name === by,
    );
    const notShown = named
      .filter((name) => !shown.some((one) => one === name))
      .flatMap((name) => problems.fields[name] ?? []);
    setErrors([...problems.form, ...notShown]);
    // Problems of password and proof name their fields: the others are about the link.
    setEnded(status === 400 && problems.form.length > 0);
    form.setFields(shown.map((name) => ({ name, errors: problems.fields[name] ?? [] })));
    const first = shown.find((name) => problems.fields[name]);
    if (first) form.scrollToField(first, { focus: true });
  };

  /** A code that is missing is asked for first. */
  const byPasskey = async () => {
    const code = by === 'recoveryCode' || by === 'verificationCode' ? [by] : [];
    const isComplete = await form.validateFields(code).then(
      () => true,
      () => false,
    );
    if (isComplete) await act('passkey');
  };

  if (chosen && facts.elsewhere) return <Chosen facts={facts} app={facts.elsewhere} done={doneOf(chosen)} />;
  if (gone) return <NotFoundPage />;
  if (ended) return <LinkEnded errors={errors} wayOn={texts.wayOn} />;
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={() => (withPassword ? act('password') : byPasskey())}
      noValidate
    >
      <p className={card.lead}>{withPassword ? texts.lead : t('choosePassword.passkeyFirstLead')}</p>
      {facts.elsewhere && (
        <p className={card.notice}>
          <InfoCircleOutlined aria-hidden />
          <span>
            {t(facts.elsewhere.isWaiting ? 'choosePassword.elsewhere' : 'choosePassword.elsewhereEnded', {
              client: isolateName(facts.elsewhere.clientName),
            })}
          </span>
        </p>
      )}
      {user && (
        <p className={card.notice}>
          <InfoCircleOutlined aria-hidden />
          <span>{t('choosePassword.signedIn', { name: isolateName(user.fullName) })}</span>
        </p>
      )}
      {/* For whom it is, to people and to password managers. */}
      <ReadOnlyUsername label={t('common.email')} value={facts.email} reason={t('choosePassword.fixedEmail')} />
      {facts.proof && by && <ProofFields proof={facts.proof} by={by} />}
      {facts.proof && by === 'wait' ? (
        <RecoveryWait link={link} proof={facts.proof} />
      ) : (
        <>
          {canMake && (
            <>
              <Button
                type={withPassword ? 'default' : 'primary'}
                block
                icon={<PasskeyIcon />}
                loading={busy === 'passkey'}
                disabled={busy === 'password'}
                onClick={byPasskey}
              >
                {t(passkeyFirst ? 'choosePassword.passkeyFirst' : 'choosePassword.passkey')}
              </Button>
              <p className={styles.hint} role="status">
                {t(stopped ? 'choosePassword.passkeyStopped' : 'choosePassword.passkeyHint')}
              </p>
              <p className={card.or}>{t('common.or')}</p>
            </>
          )}
          {withPassword && (
            <>
              <Form.Item name="password" label={t('choosePassword.password')}>
                <PasswordInput autoFocus={notHere} autoComplete="new-password" />
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
          )}
          <ErrorList errors={errors} />
          {withPassword ? (
            <Button
              key="password"
              type="primary"
              htmlType="submit"
              block
              loading={busy === 'password'}
              disabled={
                busy === 'passkey' || !fulfilsPasswordRules(password, passwordSettings) || password !== confirmation
              }
            >
              {texts.submit}
            </Button>
          ) : (
            <Button key="not-here" block disabled={busy === 'passkey'} onClick={() => setNotHere(true)}>
              {t('choosePassword.notHere')}
            </Button>
          )}
        </>
      )}
    </Form>
  );
}
