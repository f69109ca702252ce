import { Injectable } from '@nestjs/common';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import type { Ceremony } from './challenges.js';
import { PasskeyProofs, type ProvenPasskey } from './passkey-proofs.js';

/** Answers of an account for one purpose in an hour; each right one is given back. */
const tries: Limit = { name: 'passkey-proof', points: 20, seconds: 3600 };

/**
 * The proof of a passkey of an account that is known already: by its password, its session or a mailed link. Unlike those of a sign-in,
 * wrong answers are counted by account.
 */
@Injectable()
export class AccountProofs {
  constructor(
    private readonly proofs: PasskeyProofs,
    private readonly limits: Limits,
  ) {}

  /** The time until which one of the purposes takes no passkey of this account; undefined if all may be tried, and without a passkey. */
  async lockOf(accountId: string): Promise<Date | undefined> {
    return (await this.proofs.has(accountId)) ? this.limits.exhaustedUntil(tries, accountId) : undefined;
  }

  /** Resets the counts of all purposes, in the caller's transaction. Returns true if there were any. */
  unlock(accountId: string): Promise<boolean> {
    return this.limits.release(tries, accountId);
  }

  /** As {@link PasskeyProofs.prove}; throws `throttled` when the account has no tries left. */
  async prove<T>(
    browser: Browser,
    ceremony: Ceremony & { accountId: string },
    answer: object,
    then: (proven: ProvenPasskey) => Promise<T>,
  ): Promise<T> {
    const key = `${ceremony.accountId} ${ceremony.purpose}`;
    await this.limits.takePoint(tries, key);
    let isProven = false;
    try {
      return await this.proofs.prove(browser, ceremony, answer, (proven) => {
        isProven = true;
        return then(proven);
      });
    } finally {
      if (isProven) await this.limits.giveBack(tries, key);
    }
  }
}
