import { Injectable } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Mail } from '../../../platform/mail/mail.js';
import type { AccountRecovery } from '../../domain/account-recovery.js';
import type { User } from '../../domain/user.js';
import { RequestLinks } from '../request-links.js';

/** The end of a recovery that waited. */
export type RecoveryEnd = 'sign-in' | 'mail' | 'account-settings';

/** Records recoveries, and notifies the user of one that begins: it may not be their own. */
@Injectable()
export class RecoveryEvents {
  constructor(
    private readonly audit: Audit,
    private readonly mail: Mail,
    private readonly links: RequestLinks,
  ) {}

  async recordBegin({ id, email, fullName, locale }: User, { requestedAt, readyAt }: AccountRecovery): Promise<void> {
    const detail = { readyAt: readyAt.toISOString() };
    await this.audit.record({ type: 'account.recovery-requested', outcome: 'success', subject: id, detail });
    if (email === null) return;
    const link = this.links.addressFor('account-recovery', id, requestedAt);
    // The request is perhaps not the recipient's: it does not choose the language.
    await this.mail.post('account-recovery', email, { name: fullName, link, when: readyAt }, locale ?? 'en');
  }

  async recordEnd(accountId: string, by: RecoveryEnd): Promise<void> {
    const type = 'account.recovery-canceled';
    await this.audit.record({ type, outcome: 'success', subject: accountId, detail: { by } });
  }
}
