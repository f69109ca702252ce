import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { randomId } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { type User, Users } from '../domain/user.js';
import { LinkMailer } from './link-mailer.js';
import { Passwords } from './passwords.js';
import { SecurityNotices } from './security-notices.js';

const guesses: Limit = { name: 'password-change', points: 5, seconds: 300 };

/** A user's changes to their own account. */
@Injectable()
export class OwnDetails {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly links: LinkMailer,
    private readonly notices: SecurityNotices,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async rename(id: string, fullName: string): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(id);
      if (!before) throw gone();
      const user = before.rename(fullName);
      await this.users.change(user, before);
      const detail = { fullName: [before.fullName, user.fullName] };
      await this.audit.record({ type: 'account.changed', outcome: 'success', subject: id, detail });
    });
  }

  /** `also` runs in the same transaction. */
  async changePassword(
    id: string,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    also: () => Promise<void>,
  ): Promise<void> {
    const user = await this.users.find(id);
    if (!user) throw gone();
    if (user.isExternal) {
      throw new Problem('forbidden', message('password-external'));
    }
    await this.assertKnows(user, currentPassword);
    const messages = await this.passwords.problemsFor(user, newPassword);
    if (messages.length > 0) throw Problem.invalid([{ field: 'newPassword', messages }]);
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(id);
      // Of two concurrent changes the second was made with a password that is no longer the current one.
      if (!before || before.securityStamp !== user.securityStamp) throw wrongPassword();
      const changed = before.withPassword(passwordHash, randomId());
      await this.users.change(changed, before);
      await this.links.endAll(id);
      await this.notices.sendTo(changed, { name: 'password-changed' });
      await this.audit.record({ type: 'password.changed', outcome: 'success', subject: id });
      await also();
    });
  }

  /** The holder of a user's session must not be able to guess the password with it. */
  private async assertKnows(user: User, password: string): Promise<void> {
    await this.limits.take(guesses, user.id);
    if (!(await this.passwords.matches(password, user.passwordHash))) {
      await this.audit.recordRefusal({ type: 'password.changed', subject: user.id });
      throw wrongPassword();
    }
    await this.limits.forget(guesses, user.id);
  }
}

function wrongPassword(): Problem {
  return Problem.invalid([{ field: 'currentPassword', messages: [message('current-password-wrong')] }]);
}

function gone(): Problem {
  return new Problem('not-found', message('request-outdated'));
}
