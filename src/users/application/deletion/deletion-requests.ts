import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { log } from '../../../platform/logging/log.js';
import { Mail } from '../../../platform/mail/mail.js';
import { type Repeated, repeat } from '../../../platform/process/repeat.js';
import { AccountDeletions } from '../../domain/account-deletion.js';
import type { User } from '../../domain/user.js';
import { currentPasswordWrong } from '../passwords/passwords.js';
import { SecurityNotices } from '../security-notices.js';
import { AccountRemoval } from './account-removal.js';
import { KeepLinks } from './keep-links.js';

const everyMs = 60_000;
const batch = 100;

/**
 * Users end their own accounts, at once or after `account.deletionDays`. Until then the account has no session, no
 * grant and no sign-in: its user keeps it by a link ({@link KeepLinks}), or a node deletes it.
 */
@Injectable()
export class DeletionRequests implements OnModuleInit, OnModuleDestroy {
  /** Days between a request and the deletion; 0 for none. */
  readonly days: number;
  private sweeps: Repeated | undefined;

  constructor(
    private readonly deletions: AccountDeletions,
    private readonly removal: AccountRemoval,
    private readonly links: KeepLinks,
    private readonly notices: SecurityNotices,
    private readonly database: Database,
    private readonly mail: Mail,
    private readonly audit: Audit,
    config: Config,
  ) {
    this.days = config.account.deletionDays;
  }

  onModuleInit(): void {
    this.sweeps = repeat(everyMs, 'deletion of accounts failed; will retry', () => this.deleteDue());
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps?.stop();
  }

  /** True if no other administrator would be left who stays. */
  isLastAdmin(id: string): Promise<boolean> {
    return this.removal.isLastAdmin(id);
  }

  /**
   * Called when the user has proven who they are, under `securityStamp`. Returns the time of the deletion; undefined
   * when the account is deleted.
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
      return this.plan(user);
    });
  }

  /** In the transaction that holds the account. Returns the time of the deletion. */
  private async plan({ id, email, fullName, locale }: User): Promise<Date> {
    const deletion = await this.deletions.add(id, this.days);
    const { dueAt } = deletion;
    if (email !== null) {
      const values = { name: fullName, link: this.links.addressFor(id, deletion), when: dueAt };
      await this.mail.post('account-deletion', email, values, locale);
    }
    const detail = { dueAt: dueAt.toISOString() };
    await this.audit.record({
      type: 'account.deletion-requested',
      outcome: 'success',
      userId: id,
      subject: id,
      detail,
    });
    return dueAt;
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
