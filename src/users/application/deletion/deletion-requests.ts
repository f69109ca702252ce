import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { log } from '../../../platform/logging/log.js';
import { type Repeated, repeat } from '../../../platform/repeat.js';
import { AccountDeletions } from '../../domain/account-deletion.js';
import type { User } from '../../domain/user.js';
import { currentPasswordWrong } from '../passwords/current-passwords.js';
import { SecurityNotices } from '../security-notices.js';
import { AccountRemoval } from './account-removal.js';
import { WaitingDeletions } from './waiting-deletions.js';

const everyMs = 60_000;
const batch = 100;

/**
 * Users end their own accounts, at once or after `account.deletionDays`. Until then the account has no session, no grant
 * and no sign-in: its user keeps it by a link ({@link KeptAccounts}), or a node deletes it.
 */
@Injectable()
export class DeletionRequests implements OnModuleInit, OnModuleDestroy {
  private sweeps: Repeated | undefined;

  constructor(
    private readonly deletions: AccountDeletions,
    private readonly removal: AccountRemoval,
    private readonly waiting: WaitingDeletions,
    private readonly notices: SecurityNotices,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.sweeps = repeat(everyMs, 'deletion of accounts failed; will retry', () => this.deleteDue());
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps?.stop();
  }

  /** Days between a request and the deletion; 0 for none. */
  get days(): number {
    return this.waiting.days;
  }

  /** True if no other administrator would be left who stays. */
  isLastAdmin(id: string): Promise<boolean> {
    return this.removal.isLastAdmin(id);
  }

  /**
   * Called when the user has proven who they are, under `securityStamp`. Returns the time of the deletion; undefined when the account
   * is deleted.
   */
  begin(id: string, securityStamp: string): Promise<Date | undefined> {
    return this.database.repeatableTransaction(async () => {
      const user = await this.removal.lock(id);
      // The password was changed since it was checked.
      if (user.securityStamp !== securityStamp) throw currentPasswordWrong();
      if (this.days === 0) {
        await this.remove(user);
        return undefined;
      }
      await this.removal.endAccess(user);
      return this.waiting.begin(user);
    });
  }

  /** Deletes the accounts whose days are over; each is a transaction, which one node commits. */
  async deleteDue(): Promise<void> {
    for (const id of await this.deletions.due(batch)) {
      await this.deleteOne(id).catch((err: unknown) =>
        log.warn({ err, account: id }, 'account deletion failed; will retry'),
      );
    }
  }

  private async deleteOne(id: string): Promise<void> {
    await this.database.repeatableTransaction(async () => {
      const user = await this.removal.lock(id);
      if (await this.deletions.takeDue(id)) await this.remove(user);
    });
  }

  private async remove(user: User): Promise<void> {
    await this.notices.sendTo(user, { name: 'account-deleted' });
    await this.removal.remove(user, 'account.deleted', user.id);
    this.database.afterCommit(() => log.info({ account: user.id }, 'account deleted by its user'));
  }
}
