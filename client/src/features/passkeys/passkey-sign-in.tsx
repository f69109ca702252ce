import { Button } from 'antd';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useBeginPasskeySignInMutation, usePasskeySignInMutation } from '../../api/users/passkeys.js';
import { hasUsedPasskey, recordPasskeyUse } from '../../shared/browser/visit.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { PasskeyIcon } from './passkey-icon.js';
import '../login/words/en.js';

/** The code of ceremonies is loaded when one begins. */
const ceremonies = () => import('./ceremonies.js');

/** The options expire after five minutes; a page that waits for the field to be used asks for new ones before. */
const renewMs = 240_000;

/** Signing in with a passkey: the button, and the choice that browsers offer in the field of the address. */
export function PasskeySignIn({
  returnUrl,
  onErrors,
  onSignedIn,
}: {
  returnUrl: string | null;
  onErrors: (errors: string[]) => void;
  /** Given the page on which the account can be kept, when no session began. */
  onSignedIn: (keepPage: string | undefined) => unknown;
}) {
  const { t } = useTranslation();
  const [begin] = useBeginPasskeySignInMutation();
  const [signIn] = usePasskeySignInMutation();
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);
  /** Each press ends the ceremony that waits in the field, which begins again afterwards. */
  const [round, setRound] = useState(0);

  const ceremony = async (autofill: boolean): Promise<void> => {
    const options = await begin();
    if (options.error) return autofill ? undefined : onErrors(formErrors(options.error).form);
    const { usePasskey: ask } = await ceremonies();
    const outcome = await ask(options.data, autofill);
    if ('stopped' in outcome) return autofill ? undefined : setStopped(true);
    if ('failed' in outcome) return autofill ? undefined : onErrors([t('login.passkeyFailed')]);
    const result = await signIn({ response: outcome.answer, returnUrl });
    if (result.error) return onErrors(formErrors(result.error).form);
    recordPasskeyUse();
    await onSignedIn(result.data.keepPage);
  };
  const press = async () => {
    onErrors([]);
    setStopped(false);
    setBusy(true);
    await ceremony(false).catch(() => onErrors([t('login.passkeyFailed')]));
    setBusy(false);
    setRound((before) => before + 1);
  };

  const offerInField = useEffectEvent(() => ceremony(true).catch(() => undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round begins one.
  useEffect(() => {
    let over = false;
    const wait = async () => {
      const { hasAutofill } = await ceremonies();
      if (!over && (await hasAutofill())) void offerInField();
    };
    const mayWait = PublicKeyCredential.isConditionalMediationAvailable?.() ?? Promise.resolve(false);
    mayWait.then((possible) => (possible && !over ? wait() : undefined)).catch(() => undefined);
    const renewal = setTimeout(() => setRound((before) => before + 1), renewMs);
    return () => {
      over = true;
      clearTimeout(renewal);
      mayWait
        .then(async (possible) => {
          if (possible) (await ceremonies()).stopCeremony();
        })
        .catch(() => undefined);
    };
  }, [round]);

  return (
    <>
      <Button
        type={hasUsedPasskey() ? 'primary' : 'default'}
        className={card.passkey ?? ''}
        block
        loading={busy}
        icon={<PasskeyIcon />}
        onClick={press}
      >
        {t('login.passkey')}
      </Button>
      <QuietStatus>{stopped && t('login.passkeyStopped')}</QuietStatus>
      <p className={card.or}>{t('common.or')}</p>
    </>
  );
}
