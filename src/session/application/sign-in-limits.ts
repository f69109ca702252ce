import { Injectable } from '@nestjs/common';
import { addressKey } from '../../contract/rules/users/email.js';
import { equalInConstantTime, randomId, Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import type { Browser } from '../../platform/request/browser.js';

const hour = 3600;
const perPair: Limit = { name: 'login-pair', points: 5, seconds: 300 };
const perKnownBrowser: Limit = { name: 'login-known', points: 5, seconds: hour };
/** Accounts that were tried from one address, however often each. */
const accountsPerAddress: Limit = { name: 'login-address', points: 50, seconds: hour };
const seenPair: Limit = { name: 'login-seen', points: 1, seconds: hour };
/** Wrong passwords of one account from everywhere; beyond these each has to wait for longer. */
const perAccount: Limit = { name: 'login-account', points: 10, seconds: 24 * hour };
const longestDelaySeconds = 900;
const anyDelay: Limit = { name: 'login-delay', points: 1, seconds: longestDelaySeconds };
const knownSeconds = 90 * 24 * hour;

/** Refusals of sign-ins to one account. */
export interface SignInLock {
  until: Date;
  /** False if only attempts from some network addresses are refused. */
  isEverywhere: boolean;
}

/** The counters that an attempt has incremented. */
interface Taken {
  limit: Limit;
  key: string;
  /** True for a counter of many users: a right password takes back this attempt and nothing else. */
  shared?: boolean;
}

/**
 * Limits of password guesses (`design §4` lock-out). Every attempt is counted before the password is checked, so that
 * many at once gain nothing, in PostgreSQL, so that several nodes and a restart gain nothing either. No limit reveals
 * an account: all counts are by the typed address.
 *
 * | counted | allowed |
 * |---|---|
 * | failures of an account from one address | 5 in 5 minutes |
 * | accounts with failures from one address | 50 an hour |
 * | failures of an account from everywhere | from 10 on one attempt after a delay, which doubles up to 15 minutes |
 * | failures in a browser that knows the account | 5 an hour, whatever others do; then as any other browser |
 *
 * So an attacker cannot lock an account owner out for good: the owner can use a known browser or a mailed link.
 */
@Injectable()
export class SignInLimits {
  constructor(
    private readonly limits: Limits,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Runs the attempt under the limits; throws `throttled` when they are exhausted. A successful attempt resets the
   * failure counter. `many` is called when a failed attempt reaches the limit at which the account owner is notified.
   */
  async guard<T>(
    browser: Browser,
    email: string,
    attempt: () => Promise<T | undefined>,
    many: () => void,
  ): Promise<T | undefined> {
    const taken: Taken[] = [];
    let result: T | undefined;
    let failures: number;
    try {
      failures = await this.takePoints(browser, email, taken);
      result = await attempt();
    } catch (error) {
      // Refused, or not looked at (the queue is full): no failure.
      for (const { limit, key } of taken) await this.limits.giveBack(limit, key);
      throw error;
    }
    if (result === undefined) {
      if (failures === perAccount.points) many();
      return undefined;
    }
    for (const { limit, key, shared } of taken) {
      await (shared ? this.limits.giveBack(limit, key) : this.limits.forget(limit, key));
    }
    return result;
  }

  /**
   * Proof of owning the address resets the counter, including the guesses of others. The new password is stored by
   * then: a failure here must not refuse it, and a lock that is left ends by itself.
   */
  async unlockAfterProof(email: string): Promise<void> {
    await this.unlock(email).catch((err) => log.warn({ err }, 'unlocking of an account failed'));
  }

  /** The end of the refusals that guesses at this address cause now: anywhere, or from one network address only. */
  async lockOf(email: string): Promise<SignInLock | undefined> {
    const account = sha256(addressKey(email));
    const areMany = (await this.limits.exhaustedUntil(perAccount, account)) !== undefined;
    const everywhere = areMany ? await this.limits.exhaustedUntil(anyDelay, account) : undefined;
    const somewhere = await this.limits.exhaustedUntil(perPair, account);
    const until = somewhere && everywhere && somewhere < everywhere ? everywhere : (somewhere ?? everywhere);
    return until && { until, isEverywhere: everywhere !== undefined };
  }

  /** Resets the counts of failures at this address, in the caller's transaction. Returns true if there were any. */
  async unlock(email: string): Promise<boolean> {
    const account = sha256(addressKey(email));
    let isReleased = false;
    for (const limit of [perPair, perKnownBrowser, perAccount, anyDelay]) {
      isReleased = (await this.limits.release(limit, account)) || isReleased;
    }
    return isReleased;
  }

  /**
   * Notes that the right password of this address was given in this browser. The cookie gives no access: it only lets
   * the account owner sign in while others are locked out for guessing (security F-03). It names no account, and has no
   * effect for another one.
   */
  rememberBrowser(browser: Browser, email: string): void {
    const [id, until] = [randomId(), String(Math.floor(Date.now() / 1000) + knownSeconds)];
    browser.keep('known', [id, until, this.proofOf(id, until, email)].join('.'), knownSeconds);
  }

  /** The id of this browser, if it is known for the address. */
  private knownBrowser(browser: Browser, email: string): string | undefined {
    const [id = '', until = '', proof = ''] = browser.recall('known')?.split('.') ?? [];
    const isProven = equalInConstantTime(proof, this.proofOf(id, until, email));
    return isProven && Number(until) > Date.now() / 1000 ? id : undefined;
  }

  private proofOf(id: string, until: string, email: string): string {
    return this.secrets.hmac('known-browsers', `${id} ${until} ${sha256(email)}`);
  }

  /** Returns the number of failures of the account, including this one. */
  private async takePoints(browser: Browser, email: string, taken: Taken[]): Promise<number> {
    const address = browser.addressKey;
    const knownBrowser = this.knownBrowser(browser, email);
    // Keys have a fixed length, whatever was typed, and contain no address in clear. They begin with the account's, so
    // that its locks can be found.
    const account = sha256(email);
    if (knownBrowser !== undefined && (await this.takesKnownBrowserPoint(`${account} ${knownBrowser}`, taken)))
      return 0;
    const pair = `${account} ${sha256(`${email} ${address}`)}`;
    await this.limits.check(accountsPerAddress, address);
    await this.limits.takePoint(perPair, pair);
    taken.push({ limit: perPair, key: pair });
    const isFirst = (await this.limits.count(seenPair, pair)) === 1;
    if (isFirst) {
      taken.push({ limit: seenPair, key: pair });
      await this.limits.takePoint(accountsPerAddress, address);
      taken.push({ limit: accountsPerAddress, key: address, shared: true });
    }
    const failures = await this.limits.count(perAccount, account);
    taken.push({ limit: perAccount, key: account });
    if (failures <= perAccount.points) return failures;
    const delay = delayAfter(failures);
    await this.limits.takePoint(delay, account);
    taken.push({ limit: delay, key: account });
    return failures;
  }

  private async takesKnownBrowserPoint(key: string, taken: Taken[]): Promise<boolean> {
    try {
      await this.limits.takePoint(perKnownBrowser, key);
    } catch (error) {
      if (error instanceof Problem && error.kind === 'throttled') return false;
      throw error;
    }
    taken.push({ limit: perKnownBrowser, key });
    return true;
  }
}

/** One attempt in so many seconds. */
function delayAfter(failures: number): Limit {
  const seconds = Math.min(2 ** (failures - perAccount.points), longestDelaySeconds);
  return { ...anyDelay, seconds };
}
