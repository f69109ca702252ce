import type { TestPortal } from '../portal/portal.js';
import {
  beginTwoFactorSignIn,
  enableTwoFactor,
  signInByPassword,
  verifyCode,
  wrongAuthenticatorCode,
} from './authenticator.js';
import { addPasskey, type PasskeyDevice } from './passkey-device.js';
import type { Credentials } from './people.js';

/** Turns on an authenticator app, and spends the tries that it has. Returns its key. */
export async function tryWrongCodes(portal: TestPortal, who: Credentials): Promise<string> {
  const { key } = await enableTwoFactor(await signInByPassword(portal, who));
  for (const _ of [1, 2]) {
    const browser = await beginTwoFactorSignIn(portal, who);
    for (const _try of [1, 2, 3, 4, 5]) await verifyCode(browser, wrongAuthenticatorCode(key));
  }
  return key;
}

/** Makes a passkey besides an authenticator app, and spends the tries that the second factor has in an hour. */
export async function tryWrongPasskeys(portal: TestPortal, who: Credentials): Promise<PasskeyDevice> {
  const owner = await signInByPassword(portal, who);
  const { device } = await addPasskey(owner);
  await enableTwoFactor(owner);
  for (const _ of [1, 2, 3, 4]) {
    const browser = await beginTwoFactorSignIn(portal, who);
    for (const _try of [1, 2, 3, 4, 5]) {
      expect((await browser.post('/api/twofactor/passkey', { response: { id: 'AAAA' } })).status).toBe(400);
    }
  }
  return device;
}
