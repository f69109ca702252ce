import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { emailProblem } from '../../../contract/rules/users/email.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import type { LinkOrigin } from '../../domain/account-link.js';
import { Users } from '../../domain/user.js';
import { LinkMailer } from '../link-mailer.js';
import { PasswordResetLimits } from './password-reset-limits.js';

/** Longer than posting a mail takes: the answer must not tell by its time whether there was one. */
const answerAfterMs = 300;

/** Requests of users who forgot their password. */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly users: Users,
    private readonly links: LinkMailer,
    private readonly limits: PasswordResetLimits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Sends a link if the address has an account with a local password; reveals nothing about it, not even by its time.
   * `caller` is the key of the rate limit.
   */
  async request(email: string, caller: string, origin?: LinkOrigin): Promise<void> {
    const problem = emailProblem(email);
    if (problem) throw Problem.invalid([{ field: 'email', messages: [problem] }]);
    await Promise.all([this.send(email.trim(), caller, origin), sleep(answerAfterMs)]);
  }

  private async send(email: string, caller: string, origin: LinkOrigin | undefined): Promise<void> {
    if (!(await this.limits.allow(email, caller))) return;
    await this.database.transaction(async () => {
      const found = await this.users.findByEmail(email);
      const user = found && (await this.users.findForChange(found.id));
      if (!user || user.isExternal) return;
      await this.links.send('password-reset', user, origin);
      await this.audit.record({ type: 'password.reset-requested', outcome: 'success', subject: user.id });
    });
  }
}
