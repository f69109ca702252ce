import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../../platform/crypto/secrets.js';

/**
 * What signs cookies and knows them again (security E-13): the first key signs, each one verifies. The engine's library for
 * that would sign what an older key has signed anew, for no longer than the browser is open; a remembered sign-in would end
 * with it. Here a cookie keeps its signature.
 */
export class CookieSignatures {
  constructor(private readonly keys: readonly string[]) {}

  sign(data: string): string {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('there is no key to sign cookies with');
    return signature(data, newest);
  }

  verify(data: string, given: string): boolean {
    return this.keys.some((key) => equalInConstantTime(given, signature(data, key)));
  }

  /** Keygrip's: negative for a wrong one; a positive one would have it signed anew. */
  index(data: string, given: string): number {
    return this.verify(data, given) ? 0 : -1;
  }
}

function signature(data: string, key: string): string {
  return createHmac('sha256', key).update(data).digest('base64url');
}
