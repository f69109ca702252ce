import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { type AccountDeletion, AccountDeletions } from '../../domain/account-deletion.js';
import { Users } from '../../domain/user.js';
import { type RequestLink, RequestLinks } from '../request-links.js';

const guesses: Limit = { name: 'keep-link', points: 50, seconds: 3600 };

export type KeepLink = RequestLink;

/** Links with which a user keeps an account whose deletion they have requested. Keeping is all that they permit. */
@Injectable()
export class KeepLinks {
  constructor(
    private readonly deletions: AccountDeletions,
    private readonly users: Users,
    private readonly links: RequestLinks,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  addressFor(accountId: string, { requestedAt }: AccountDeletion): string {
    return this.links.addressFor('account-deletion', accountId, requestedAt);
  }

  /**
   * The page of the portal on which a user who has proven who they are keeps the account; undefined if it stays anyway.
   */
  async pageFor(accountId: string): Promise<string | undefined> {
    const deletion = await this.deletions.findByAccount(accountId);
    return deletion && this.links.pathFor('account-deletion', accountId, deletion.requestedAt);
  }

  /** The time of the deletion; undefined if the account is kept already. */
  async check(link: KeepLink): Promise<Date | undefined> {
    return (await this.deletionOf(link))?.dueAt;
  }

  /** Keeps the account. Succeeds again after a lost answer. */
  async keep(link: KeepLink): Promise<void> {
    await this.database.transaction(async () => {
      const deletion = await this.deletionOf(link);
      const { userId } = link;
      if (!deletion || !(await this.deletions.withdraw(userId, deletion.requestedAt))) return;
      await this.audit.record({ type: 'account.kept', outcome: 'success', userId, subject: userId });
    });
  }

  /** The request that the link belongs to; undefined if the account is kept already. Throws for any other link. */
  private async deletionOf(link: KeepLink): Promise<AccountDeletion | undefined> {
    const { userId, caller } = link;
    await this.limits.check(guesses, caller);
    const requestedAt = this.links.requestTimeIn('account-deletion', link);
    const deletion = requestedAt && (await this.deletions.findByAccount(userId));
    const isOfEarlierRequest = deletion && deletion.requestedAt.getTime() !== requestedAt?.getTime();
    if (!requestedAt || isOfEarlierRequest || !(await this.users.findById(userId))) {
      await this.limits.count(guesses, caller);
      throw keepLinkEnded();
    }
    return deletion;
  }
}

function keepLinkEnded(): Problem {
  return new Problem('invalid', message('keep-link-ended'));
}
