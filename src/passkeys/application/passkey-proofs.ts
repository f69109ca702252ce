import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { methodsOfPasskey, type Passkey, Passkeys } from '../domain/passkey.js';
import { assertId, Ceremonies } from './ceremonies.js';
import { type Ceremony, Challenges, challengeOver } from './challenges.js';
import { PasskeyEvents } from './passkey-events.js';

/** Answers of an account for one purpose in an hour; each right one is given back. */
const tries: Limit = { name: 'passkey-proof', points: 20, seconds: 3600 };

/** A passkey whose user has just proven to have it. */
export interface ProvenPasskey {
  passkey: Passkey;
  /** The authentication methods of the proof (RFC 8176). */
  methods: string[];
}

/** The answer of a browser, of which nothing is known yet. */
type Answer = { id?: unknown; response?: { userHandle?: unknown } };

/**
 * The account that the authenticator names: always where the sign-in began without one (WebAuthn Level 3 §7.2 step 6).
 */
function accountNamedBy({ response }: Answer): string | undefined {
  const handle = response?.userHandle;
  return typeof handle === 'string' && handle !== '' ? Buffer.from(handle, 'base64url').toString() : undefined;
}

function unknown(): Problem {
  return new Problem('invalid', message('passkey-unknown'));
}

/** An answer that is right but whose counter is not above the last one. */
class CounterWentBack extends Error {}

/** The proof of a passkey: the answer to a challenge, accepted once. */
@Injectable()
export class PasskeyProofs {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly ceremonies: Ceremonies,
    private readonly challenges: Challenges,
    private readonly events: PasskeyEvents,
    private readonly limits: Limits,
    private readonly database: Database,
  ) {}

  /** True if the account has a passkey that counts: none does where passkeys are off. */
  async has(accountId: string): Promise<boolean> {
    return this.ceremonies.areAllowed && (await this.passkeys.has(accountId));
  }

  /**
   * The time until which one of the purposes takes no passkey of this account; undefined if all may be tried, and
   * without a passkey.
   */
  async lockOf(accountId: string): Promise<Date | undefined> {
    return (await this.has(accountId)) ? this.limits.exhaustedUntil(tries, accountId) : undefined;
  }

  /** Resets the counts of all purposes, in the caller's transaction. Returns true if there were any. */
  unlock(accountId: string): Promise<boolean> {
    return this.limits.release(tries, accountId);
  }

  /** For the account of the ceremony; without one any passkey of this portal will do. */
  async options(browser: Browser, ceremony: Ceremony) {
    const known = ceremony.accountId === undefined ? [] : await this.passkeys.ofAccount(ceremony.accountId);
    return this.ceremonies.requestOptions(browser, ceremony, known);
  }

  /**
   * The passkey that the answer names. Throws `invalid` if this portal, or the account of the ceremony, has none such.
   */
  private async findByAnswer(answer: Answer, ceremony: Ceremony): Promise<Passkey> {
    const passkey = await this.passkeys.findByCredential(assertId(answer));
    const named = accountNamedBy(answer);
    const { accountId = named } = ceremony;
    if (!passkey || passkey.accountId !== accountId || (named ?? accountId) !== accountId) throw unknown();
    return passkey;
  }

  /**
   * Runs `then` in the transaction that uses up the challenge and stores the counter. Throws `invalid` for a wrong
   * answer. Those of an account that is known already (by its password, its session or a mailed link) are counted,
   * unlike those of a sign-in; throws `throttled` when no attempts are left.
   */
  async prove<T>(
    browser: Browser,
    ceremony: Ceremony,
    answer: Answer,
    then: (proven: ProvenPasskey) => Promise<T>,
  ): Promise<T> {
    if (ceremony.accountId === undefined) return this.accept(browser, ceremony, answer, then);
    const key = `${ceremony.accountId} ${ceremony.purpose}`;
    await this.limits.takePoint(tries, key);
    let isProven = false;
    try {
      return await this.accept(browser, ceremony, answer, (proven) => {
        isProven = true;
        return then(proven);
      });
    } finally {
      if (isProven) await this.limits.giveBack(tries, key);
    }
  }

  private async accept<T>(
    browser: Browser,
    ceremony: Ceremony,
    answer: Answer,
    then: (proven: ProvenPasskey) => Promise<T>,
  ): Promise<T> {
    if (!this.ceremonies.areAllowed) throw new Problem('forbidden', message('passkeys-off'));
    const passkey = await this.findByAnswer(answer, ceremony);
    const { counter, backedUp, challenge } = await this.ceremonies.checkAnswer(browser, ceremony, passkey, answer);
    try {
      return await this.database.transaction(async () => {
        await this.challenges.use(challenge);
        if (!(await this.passkeys.use(passkey, { counter, backedUp }))) {
          // It may have been removed since it was found, or used by a later answer that was executed before this one.
          const isLate = await this.passkeys.wasUsedMeanwhile(passkey.id);
          throw isLate === undefined ? unknown() : isLate ? challengeOver() : new CounterWentBack();
        }
        return then({ passkey, methods: methodsOfPasskey(passkey) });
      });
    } catch (error) {
      if (!(error instanceof CounterWentBack)) throw error;
      await this.noteClone(passkey);
      throw new Problem('invalid', message('passkey-cloned'));
    }
  }

  private async noteClone({ id, accountId, name }: Passkey): Promise<void> {
    const isFirst = await this.passkeys.markCloned(id);
    await this.database.transaction(() => this.events.recordCopy(accountId, name, isFirst));
  }
}
