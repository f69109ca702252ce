import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors } from '../../api/failures/form-errors.js';
import { useBeginConfirmationMutation, useConfirmMutation } from '../../api/users/passkeys.js';
import './words/en.js';

/**
 * Proves a passkey of the signed-in user. A user who stops changes nothing; `stopped` says so until the next attempt.
 */
export function useConfirmation() {
  const { t } = useTranslation();
  const [begin] = useBeginConfirmationMutation();
  const [confirm] = useConfirmMutation();
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);

  const ceremony = async (): Promise<'done' | 'stopped' | string[]> => {
    const options = await begin();
    if (options.error) return formErrors(options.error).form;
    const { usePasskey: ask } = await import('./ceremonies.js');
    const outcome = await ask(options.data);
    if ('stopped' in outcome) return 'stopped';
    if ('failed' in outcome) return [t('passkeys.confirm.failed')];
    const { error } = await confirm({ response: outcome.answer });
    return error ? formErrors(error).form : 'done';
  };
  const run = async () => {
    setBusy(true);
    setStopped(false);
    try {
      const result = await ceremony();
      setStopped(result === 'stopped');
      return result;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, stopped };
}
