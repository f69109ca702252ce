import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { log } from '../../../platform/logging/log.js';
import { type Repeated, repeat } from '../../../platform/repeat.js';
import { AccountRecoveries } from '../../domain/account-recovery.js';
import { Users } from '../../domain/user.js';
import { LinkMailer } from '../link-mailer.js';

const everyMs = 60_000;
const batch = 100;

/** Mails the link at the end of a recovery's waiting time; each is a transaction, which one node commits. */
@Injectable()
export class DueRecoveries implements OnModuleInit, OnModuleDestroy {
  private sweeps: Repeated | undefined;

  constructor(
    private readonly recoveries: AccountRecoveries,
    private readonly users: Users,
    private readonly links: LinkMailer,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.sweeps = repeat(everyMs, 'sending of recovery links failed; will retry', () => this.sendDue());
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps?.stop();
  }

  async sendDue(): Promise<void> {
    for (const id of await this.recoveries.due(batch)) {
      await this.sendOne(id).catch((err: unknown) =>
        log.warn({ err, account: id }, 'sending of a recovery link failed; will retry'),
      );
    }
    await this.recoveries.removeOver();
  }

  private async sendOne(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const user = await this.users.findForChange(id);
      if (!user || !(await this.recoveries.takeDue(id))) return;
      await this.links.send('password-reset', user);
      const detail = { by: 'recovery' };
      await this.audit.record({ type: 'password.reset-requested', outcome: 'success', subject: id, detail });
    });
  }
}
