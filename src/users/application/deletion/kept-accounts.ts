import { Injectable } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { AccountDeletions } from '../../domain/account-deletion.js';
import { type KeepLink, KeepLinks } from './keep-links.js';

export type { KeepLink };

/** Users who keep an account whose deletion they have requested. */
@Injectable()
export class KeptAccounts {
  constructor(
    private readonly deletions: AccountDeletions,
    private readonly links: KeepLinks,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** The time of the deletion; undefined if the account is kept already. */
  async check(link: KeepLink): Promise<Date | undefined> {
    return (await this.links.deletionOf(link))?.dueAt;
  }

  /** Succeeds again after a lost answer. */
  async keep(link: KeepLink): Promise<void> {
    await this.database.transaction(async () => {
      const deletion = await this.links.deletionOf(link);
      const { userId } = link;
      if (!deletion || !(await this.deletions.withdraw(userId, deletion.requestedAt))) return;
      await this.audit.record({ type: 'account.kept', outcome: 'success', userId, subject: userId });
    });
  }
}
