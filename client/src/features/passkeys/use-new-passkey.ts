import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useAddPasskeyMutation, useBeginPasskeyMutation } from '../../api/users/passkeys.js';
import { makePasskey } from './ceremonies.js';
import { deviceOf } from './device-of.js';
import './words/en.js';

/** Makes a passkey in this browser. A user who stops changes nothing; `stopped` says so until the next attempt. */
export function useNewPasskey() {
  const { t } = useTranslation();
  const [begin] = useBeginPasskeyMutation();
  const [add] = useAddPasskeyMutation();
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);

  const make = async (currentPassword?: string) => {
    const options = await begin({ currentPassword });
    if (options.error) return { ...formErrors(options.error, ['currentPassword']), cause: options.error };
    const outcome = await makePasskey(options.data);
    if ('stopped' in outcome) return 'stopped';
    if ('failed' in outcome) {
      return { form: [t(outcome.failed === 'known' ? 'passkeys.known' : 'passkeys.notMade')], fields: {} };
    }
    const name = t(`passkeys.devices.${deviceOf(outcome.answer.authenticatorAttachment, navigator.userAgent)}`);
    const result = await add({ response: outcome.answer, name });
    return result.error ? { ...formErrors(result.error, ['currentPassword']), cause: result.error } : 'done';
  };
  const run = async (currentPassword?: string) => {
    setBusy(true);
    setStopped(false);
    try {
      const result = await make(currentPassword);
      setStopped(result === 'stopped');
      return result;
    } finally {
      setBusy(false);
    }
  };
  return { make: run, busy, stopped };
}
