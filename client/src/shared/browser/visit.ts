import { storageKey } from '../addresses/base-path.js';

const welcomed = storageKey('welcomeVisited');
const signedIn = storageKey('signedIn');
const passkey = storageKey('passkey');

/** True if this browser has seen the welcome page (`spec §4`: a flag with the string value true). */
export const hasVisited = (): boolean => isSet(welcomed);

export const recordVisit = (): void => storeFlag(welcomed);

/** True if a user is signed in with this browser or was until the session ended; false after a sign-out. */
export const wasSignedIn = (): boolean => isSet(signedIn);

export const recordSignIn = (): void => storeFlag(signedIn);

export function recordSignOut(): void {
  try {
    localStorage.removeItem(signedIn);
  } catch {
    // See below.
  }
}

/** True if a user has signed in with a passkey in this browser. */
export const hasUsedPasskey = (): boolean => isSet(passkey);

export const recordPasskeyUse = (): void => storeFlag(passkey);

function isSet(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    // Storage can be forbidden; then every visit is a first one.
    return false;
  }
}

function storeFlag(key: string): void {
  try {
    localStorage.setItem(key, 'true');
  } catch {
    // See above.
  }
}
