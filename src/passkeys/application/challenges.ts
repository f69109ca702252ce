import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { equalInConstantTime, randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { Passkeys } from '../domain/passkey.js';

/** Seconds in which the authenticator has to answer. */
export const ceremonySeconds = 300;
/** A used challenge is known for longer than any node takes it for valid. */
const clockSkewSeconds = 60;

/**
 * The purpose of a ceremony: an answer for one is none for another. `accountId` is absent where no user is known yet.
 */
export interface Ceremony {
  purpose: 'sign-in' | 'second-factor' | 'recover' | 'confirm' | 'register' | 'register-by-link';
  accountId?: string;
  /** SHA-256 of the mailed link that permits it, where one does. */
  linkHash?: string;
}

/**
 * Challenges of WebAuthn. One is stored only when it was answered, so that a sign-in page costs no row: it is
 * `random.expiry.mac`, and the MAC binds it to its purpose, its account and this browser. Single use is the insert of
 * its hash.
 */
@Injectable()
export class Challenges {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly secrets: Secrets,
  ) {}

  create(browser: Browser, ceremony: Ceremony): string {
    const known = browser.recall('binding');
    const binding = known ?? randomId();
    if (known === undefined) browser.keep('binding', binding);
    const facts = `${randomId()}.${Math.floor(Date.now() / 1000) + ceremonySeconds}`;
    return `${facts}.${this.macOf(facts, binding, ceremony)}`;
  }

  /** True if this browser got the challenge for this purpose and account, and it has not expired. */
  isIssuedFor(browser: Browser, ceremony: Ceremony, challenge: string): boolean {
    const binding = browser.recall('binding');
    const [random, expiry, mac, ...more] = challenge.split('.');
    if (binding === undefined || mac === undefined || more.length > 0) return false;
    return (
      equalInConstantTime(mac, this.macOf(`${random}.${expiry}`, binding, ceremony)) &&
      Number(expiry) * 1000 > Date.now()
    );
  }

  /**
   * Uses up a challenge that {@link isIssuedFor} accepts, in the caller's transaction. Throws if it was used before.
   */
  async use(challenge: string): Promise<void> {
    const expiresAt = new Date((Number(challenge.split('.')[1]) + clockSkewSeconds) * 1000);
    if (!(await this.passkeys.useChallenge(sha256(challenge), expiresAt))) throw challengeOver();
  }

  private macOf(facts: string, binding: string, { purpose, accountId = '', linkHash }: Ceremony): string {
    const subject = linkHash === undefined ? accountId : `${accountId} ${linkHash}`;
    return this.secrets.hmac('passkeys', `${purpose} ${subject} ${sha256(binding)} ${facts}`);
  }
}

export function challengeOver(): Problem {
  return new Problem('invalid', message('passkey-challenge-over'));
}
