import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { equalInConstantTime } from '../../../platform/crypto/secrets.js';

/**
 * Signs and verifies cookies (security E-13): the first key signs, each one verifies. The engine's library would sign a
 * cookie of an older key again, as a session cookie; a remembered sign-in would end with the browser. Here a cookie
 * keeps its signature.
 */
export class CookieSignatures {
  private readonly keys: readonly KeyObject[];

  constructor(keys: readonly string[]) {
    this.keys = keys.map((key) => createSecretKey(key, 'utf8'));
  }

  sign(data: string): string {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('there is no key to sign cookies with');
    return signature(data, newest);
  }

  verify(data: string, given: string): boolean {
    return this.keys.some((key) => equalInConstantTime(given, signature(data, key)));
  }

  /**
   * Index of the matching key, for Keygrip: negative for a wrong signature; a positive one would cause a new signature.
   */
  index(data: string, given: string): number {
    return this.verify(data, given) ? 0 : -1;
  }
}

function signature(data: string, key: KeyObject): string {
  return createHmac('sha256', key).update(data).digest('base64url');
}
