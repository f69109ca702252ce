import '../passkeys/words/en.js';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useBeginPasskeyFactorMutation, usePasskeyFactorMutation } from '../../api/users/passkeys.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { PasskeyIcon } from '../passkeys/passkey-icon.js';
import '../login/words/en.js';

/** A passkey instead of a code; below it the codes follow. */
export function PasskeyFactor({
  returnUrl,
  rememberMe,
  isOnly = false,
  onVerified,
  onExpired,
}: {
  returnUrl: string | null;
  rememberMe?: boolean;
  /** No codes follow. */
  isOnly?: boolean;
  /** Given the page on which the account can be kept, when no session began. */
  onVerified: (keepPage: string | undefined) => unknown;
  /** The password has to be entered once more; gets the messages of the server. */
  onExpired?: (errors: string[]) => void;
}) {
  const { t } = useTranslation();
  const [begin] = useBeginPasskeyFactorMutation();
  const [prove] = usePasskeyFactorMutation();
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);

  const refused = (error: unknown) => {
    const { form } = formErrors(error);
    const status = (error as { status?: unknown }).status;
    if (status === 401 && onExpired) return onExpired(form);
    setErrors(form);
  };
  const ceremony = async () => {
    const options = await begin({ returnUrl });
    if (options.error) return refused(options.error);
    const { usePasskey: ask } = await import('../passkeys/ceremonies.js');
    const outcome = await ask(options.data);
    if ('stopped' in outcome) return setStopped(true);
    if ('failed' in outcome) return setErrors([t('login.passkeyFailed')]);
    const result = await prove({
      response: outcome.answer,
      returnUrl,
      ...(rememberMe === undefined ? {} : { rememberMe }),
    });
    if (result.error) return refused(result.error);
    await onVerified(result.data.keepPage);
  };
  const press = async () => {
    setErrors([]);
    setStopped(false);
    setBusy(true);
    await ceremony().catch(() => setErrors([t('login.passkeyFailed')]));
    setBusy(false);
  };

  return (
    <>
      <Button block type={isOnly ? 'primary' : 'default'} icon={<PasskeyIcon />} loading={busy} onClick={press}>
        {t('passkeys.useIt')}
      </Button>
      <QuietStatus>{stopped && t('login.passkeyStopped')}</QuietStatus>
      <ErrorList errors={errors} />
      {!isOnly && <p className={card.or}>{t('common.or')}</p>}
    </>
  );
}
