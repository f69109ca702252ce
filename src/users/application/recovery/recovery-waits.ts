import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { Config } from '../../../platform/config/config.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { AccountRecoveries, type AccountRecovery } from '../../domain/account-recovery.js';
import type { User } from '../../domain/user.js';
import { type RequestLink, RequestLinks } from '../request-links.js';
import { type RecoveryEnd, RecoveryEvents } from './recovery-events.js';

const guesses: Limit = { name: 'recovery-link', points: 50, seconds: 3600 };

/**
 * The waiting time of users who have lost all passkeys and recovery codes: a mailbox alone must not open an account that was better
 * protected. Its owner is notified, and has the time to end it.
 *
 * | state | ends by |
 * |---|---|
 * | waiting (`account.recoveryWaitHours`) | a sign-in, the link of the mail, the account settings, a password chosen with a code or passkey |
 * | ready (seven days, a link is mailed) | the same, or a password chosen with a mailed link |
 */
@Injectable()
export class RecoveryWaits {
  readonly hours: number;

  constructor(
    private readonly recoveries: AccountRecoveries,
    private readonly links: RequestLinks,
    private readonly limits: Limits,
    private readonly events: RecoveryEvents,
    config: Config,
  ) {
    this.hours = config.account.recoveryWaitHours;
  }

  find(accountId: string): Promise<AccountRecovery | undefined> {
    return this.recoveries.find(accountId);
  }

  /** In the transaction that holds the account. The end of the waiting time, also of one that runs already. */
  async begin(user: User): Promise<Date> {
    const { isNew, ...recovery } = await this.recoveries.begin(user.id, this.hours);
    if (isNew) await this.events.recordBegin(user, recovery);
    return recovery.readyAt;
  }

  /** Uses up a recovery whose waiting time is over, in the caller's transaction; false if there is none. */
  takeReady(accountId: string): Promise<boolean> {
    return this.recoveries.takeReady(accountId);
  }

  /** Uses up a recovery that is no longer needed, since its user has proven more, in the caller's transaction. */
  async withdraw(accountId: string): Promise<void> {
    await this.recoveries.withdraw(accountId);
  }

  /** Ends the recovery of a user who is back, in the caller's transaction; true if there was one. */
  async end(accountId: string, by: RecoveryEnd): Promise<boolean> {
    const ended = await this.recoveries.withdraw(accountId);
    if (ended) await this.events.recordEnd(accountId, by);
    return ended;
  }

  /** The recovery of a link of the mail; undefined if it has ended. Throws for a link that was never made. */
  async ofLink(link: RequestLink): Promise<AccountRecovery | undefined> {
    const { userId, caller } = link;
    await this.limits.check(guesses, caller);
    const requestedAt = this.links.requestTimeIn('account-recovery', link);
    if (!requestedAt) {
      await this.limits.count(guesses, caller);
      throw new Problem('invalid', message('recovery-link-ended'));
    }
    const recovery = await this.recoveries.find(userId);
    return recovery?.requestedAt.getTime() === requestedAt.getTime() ? recovery : undefined;
  }

  /** Ends the recovery of a link of the mail, in the caller's transaction. Succeeds again after a lost answer. */
  async endByLink(link: RequestLink): Promise<void> {
    const recovery = await this.ofLink(link);
    if (!recovery || !(await this.recoveries.withdraw(link.userId, recovery.requestedAt))) return;
    await this.events.recordEnd(link.userId, 'mail');
  }
}
