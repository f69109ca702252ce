import { Injectable } from '@nestjs/common';
import { equalInConstantTime, randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import type { Browser } from '../../platform/request/browser.js';

const knownSeconds = 90 * 24 * 3600;

/**
 * Browsers in which the right password of an account was given before. The cookie gives no access: it only lets the
 * account owner try while others are locked out for guessing (security F-03). It names no account and is worth nothing
 * for another one.
 */
@Injectable()
export class KnownBrowsers {
  constructor(private readonly secrets: Secrets) {}

  /** The id of this browser, if it is known for the address. */
  idFor(browser: Browser, email: string): string | undefined {
    const [id = '', until = '', proof = ''] = browser.recall('known')?.split('.') ?? [];
    const isProven = equalInConstantTime(proof, this.proofOf(id, until, email));
    return isProven && Number(until) > Date.now() / 1000 ? id : undefined;
  }

  remember(browser: Browser, email: string): void {
    const [id, until] = [randomId(), String(Math.floor(Date.now() / 1000) + knownSeconds)];
    browser.keep('known', [id, until, this.proofOf(id, until, email)].join('.'), knownSeconds);
  }

  private proofOf(id: string, until: string, email: string): string {
    return this.secrets.hmac('known-browsers', `${id} ${until} ${sha256(email)}`);
  }
}
