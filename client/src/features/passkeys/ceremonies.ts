import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  type WebAuthnError,
} from '@simplewebauthn/browser';
import type { PasskeyOptions } from '../../../../src/contract/users/passkeys.js';

export { browserSupportsWebAuthnAutofill as hasAutofill };

/** The result of a ceremony: an answer, the user's wish to stop, or a failure of browser or device. */
export type Outcome<Answer> = { answer: Answer } | { stopped: true } | { failed: 'known' | 'other' };

/** Asks the user for a passkey that they have; `autofill` waits until they choose one in the field. */
export const usePasskey = (options: PasskeyOptions, autofill = false) =>
  outcomeOf(startAuthentication({ optionsJSON: options.publicKey as never, useBrowserAutofill: autofill }));

/** Asks the user to make a passkey. */
export const makePasskey = (options: PasskeyOptions) =>
  outcomeOf(startRegistration({ optionsJSON: options.publicKey as never }));

/** Ends a ceremony that waits. */
export const stopCeremony = () => WebAuthnAbortService.cancelCeremony();

async function outcomeOf<Answer extends object>(
  ceremony: Promise<Answer>,
): Promise<Outcome<Record<string, unknown> & Answer>> {
  try {
    return { answer: (await ceremony) as Record<string, unknown> & Answer };
  } catch (error) {
    const { name, code } = error as Partial<WebAuthnError>;
    if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' || name === 'InvalidStateError')
      return { failed: 'known' };
    // The user closed the browser's dialog, or let its time run out; browsers do not distinguish these.
    if (name === 'NotAllowedError' || name === 'AbortError') return { stopped: true };
    return { failed: 'other' };
  }
}
