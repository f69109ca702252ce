import { hasPasskeys } from '../../../../src/contract/rules/users/passkeys.js';

/** True if this browser can use passkeys at this address, which needs TLS or localhost. */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && hasPasskeys(window.location.hostname);

/** True if this device makes passkeys itself: by fingerprint, face or screen lock. */
export async function hasOwnAuthenticator(): Promise<boolean> {
  if (!supportsPasskeys()) return false;
  try {
    return await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  } catch {
    return false;
  }
}
