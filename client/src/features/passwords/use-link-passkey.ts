import '../passkeys/words/en.js';
import { useTranslation } from 'react-i18next';
import type { LinkCheck } from '../../../../src/contract/users/account.js';
import { useAddLinkPasskeyMutation, useBeginLinkRegistrationMutation } from '../../api/users/recovery.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { recordPasskeyUse } from '../../shared/browser/visit.js';
import { deviceOf } from '../passkeys/device-of.js';

/** The ceremony that the user has stopped: of a new passkey, or of one as the proof next to the link. */
export type Stopped = 'making' | 'proof';

/**
 * The end of a choice: a call with or without a refusal, the user's wish to stop, or a failure of browser or device.
 */
export type Outcome = { error?: unknown } | { stopped: Stopped } | { errors: string[] };

/** Makes a passkey in this browser and stores it by the link, in place of a password. */
export function useLinkPasskey(link: MailedLink, purpose: LinkCheck['purpose']) {
  const { t } = useTranslation();
  const [begin] = useBeginLinkRegistrationMutation();
  const [add] = useAddLinkPasskeyMutation();
  return async (proof: object): Promise<Outcome> => {
    const options = await begin({ ...link, purpose });
    if (options.error) return { error: options.error };
    const { makePasskey } = await import('../passkeys/ceremonies.js');
    const outcome = await makePasskey(options.data);
    if ('stopped' in outcome) return { stopped: 'making' };
    if ('failed' in outcome) return { errors: [t(outcome.failed === 'known' ? 'passkeys.known' : 'passkeys.notMade')] };
    const { answer: response } = outcome;
    const name = t(`passkeys.devices.${deviceOf(response.authenticatorAttachment, navigator.userAgent)}`);
    const { error } = await add({ ...link, purpose, response, name, ...proof });
    if (!error) recordPasskeyUse();
    return { error };
  };
}
