import type { FormInstance } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { LinkCheck, LinkFacts } from '../../../../src/contract/users/account.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { useLazySessionQuery, useSessionQuery } from '../../api/session.js';
import type { PasswordChoice } from '../../api/users/account.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { handOverPassword } from '../../shared/browser/chosen-password.js';
import { notify } from '../../shared/notices.js';
import type { NextPage } from './link-ended.js';
import { type ProofFieldValues, type ProofKind, useLinkProof } from './link-proof.js';
import { type Outcome, type Stopped, useLinkPasskey } from './use-link-passkey.js';
import '../passkeys/words/en.js';

export interface LinkTexts {
  title: string;
  lead: string;
  submit: string;
  /** The message of success, on the sign-in page. */
  done: string;
  /** The next page for a user whose link is no longer valid. */
  wayOn: NextPage;
}

/** A link that came by mail, and what it is used for. */
export interface LinkUse {
  purpose: LinkCheck['purpose'];
  link: MailedLink;
  texts: LinkTexts;
  send: (choice: PasswordChoice) => PromiseLike<{ error?: unknown }>;
  onDone: () => void;
}

export interface LinkFields extends ProofFieldValues {
  password: string;
  confirmation: string;
}

export type Means = 'password' | 'passkey';

type Progress =
  | {
      is: 'open';
      errors: string[];
      /** The ceremony that the user has stopped, which has changed nothing. */
      stopped: Stopped | null;
    }
  | { is: 'busy'; means: Means }
  /** `done`: the message of success. */
  | { is: 'chosen'; done: string }
  | { is: 'link-ended'; errors: string[] }
  | { is: 'gone' };

const open = { is: 'open', errors: [], stopped: null } as const satisfies Progress;

/** True if the sign-in page that follows signs in with the chosen password. */
export function signsInAfter({ signsIn, elsewhere }: LinkFacts): boolean {
  return signsIn && elsewhere === null;
}

/** The fields that a refusal may name; one that is not shown has its problems above the button. */
const named = ['recoveryCode', 'verificationCode', 'passkey', 'response', 'password'] as const;

/** The choice of a password or passkey with the proof `by`: how far it is, and what carries it out. */
export function useLinkChoice(
  { facts, purpose, link, texts, send, onDone }: LinkUse & { facts: LinkFacts },
  form: FormInstance<LinkFields>,
  by: ProofKind | null,
) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: user } = useSessionQuery();
  const [loadSession] = useLazySessionQuery();
  const [progress, setProgress] = useState<Progress>(open);
  const gatherProof = useLinkProof(link);
  const makePasskey = useLinkPasskey(link, purpose);

  const choose = async (means: Means) => {
    setProgress({ is: 'busy', means });
    const outcome = await carryOut(means).catch(() => ({ errors: [t('passkeys.notMade')] }));
    if ('stopped' in outcome) return setProgress({ ...open, stopped: outcome.stopped });
    if ('errors' in outcome) return setProgress({ ...open, errors: outcome.errors });
    return outcome.error ? showRefusal(outcome.error) : goOn(means);
  };

  /** The proof next to the link, then what is sent with it. */
  const carryOut = async (means: Means): Promise<Outcome> => {
    const fields = form.getFieldsValue(true);
    const gathered = by ? await gatherProof(by, fields) : { proof: {} };
    // A user who stopped has changed nothing.
    if (!('proof' in gathered)) return gathered;
    const { proof } = gathered;
    const outcome = await (means === 'passkey'
      ? makePasskey(proof)
      : send({ ...link, password: fields.password, ...proof }));
    // The previous user is signed out; the sign-in page is not for signed-in users.
    if (!('stopped' in outcome || 'errors' in outcome || outcome.error) && user) await loadSession();
    return outcome;
  };

  const goOn = (means: Means) => {
    onDone();
    const signsIn = means === 'password' && signsInAfter(facts);
    const done =
      means === 'passkey' ? t('choosePassword.passkeyDone') : signsIn ? t('choosePassword.changed') : texts.done;
    // The request waits in another browser, or the app has to start again: that is for the user to do.
    if (facts.elsewhere) return setProgress({ is: 'chosen', done });
    setProgress(open);
    notify('success', done);
    if (signsIn) handOverPassword({ email: facts.email, password: form.getFieldValue('password') });
    return navigate(withReturnUrl('/login', facts.returnUrl), { replace: true, state: { email: facts.email } });
  };

  const showRefusal = (error: unknown) => {
    const { status } = error as { status?: unknown };
    if (status === 404) return setProgress({ is: 'gone' });
    const problems = formErrors(error, named);
    const shown = (['recoveryCode', 'verificationCode', 'password'] as const).filter(
      (name) => name === 'password' || name === by,
    );
    const notShown = named
      .filter((name) => !shown.some((one) => one === name))
      .flatMap((name) => problems.fields[name] ?? []);
    const errors = [...problems.form, ...notShown];
    // Problems of password and proof name their fields: the others are about the link.
    const isEnd = status === 400 && problems.form.length > 0;
    setProgress(isEnd ? { is: 'link-ended', errors } : { ...open, errors });
    form.setFields(shown.map((name) => ({ name, errors: problems.fields[name] ?? [] })));
    const first = shown.find((name) => problems.fields[name]);
    if (first) form.scrollToField(first, { focus: true });
  };

  return { progress, choose };
}
