import { Injectable } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { Mail } from '../../../platform/mail/mail.js';
import { AccountDeletions } from '../../domain/account-deletion.js';
import type { User } from '../../domain/user.js';
import { KeepLinks } from './keep-links.js';

/** The begin of the days in which a user may still keep the account. */
@Injectable()
export class WaitingDeletions {
  readonly days: number;

  constructor(
    private readonly deletions: AccountDeletions,
    private readonly links: KeepLinks,
    private readonly mail: Mail,
    private readonly audit: Audit,
    config: Config,
  ) {
    this.days = config.account.deletionDays;
  }

  /** In the transaction that holds the account. Returns the time of the deletion. */
  async begin({ id, email, fullName, locale }: User): Promise<Date> {
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
}
