import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../contract/audit/audit-types.js';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type User, Users } from '../domain/user.js';
import { NewPasswords } from './passwords/new-passwords.js';
import { currentPasswordNeeded, currentPasswordWrong, Passwords } from './passwords/passwords.js';

/** A user's changes to their own account. */
@Injectable()
export class OwnDetails {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly newPasswords: NewPasswords,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async rename(id: string, fullName: string): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(id);
      if (!before) throw accountGone();
      const user = before.rename(fullName);
      await this.users.change(user, before);
      const detail = { fullName: [before.fullName, user.fullName] };
      await this.audit.record({ type: 'account.changed', outcome: 'success', subject: id, detail });
    });
  }

  /** The account as it is kept, without its credentials. */
  async describe(id: string): Promise<Omit<User, 'passwordHash' | 'securityStamp'>> {
    const user = await this.users.findById(id);
    if (!user) throw accountGone();
    return user;
  }

  /** Checks the password again; `type` is that of the action that it confirms. Returns the account's security stamp. */
  async confirm(id: string, currentPassword: string, type: AuditType): Promise<string> {
    const user = await this.users.findById(id);
    if (!user) throw accountGone();
    await this.passwords.assertCurrent(user, currentPassword, type);
    return user.securityStamp;
  }

  /** `confirm` proves the user of an account without a password; `also` runs in the same transaction as the change. */
  async changePassword(
    id: string,
    { currentPassword, newPassword }: { currentPassword?: string | null | undefined; newPassword: string },
    { confirm, also }: { confirm: () => Promise<void>; also: () => Promise<void> },
  ): Promise<void> {
    const user = await this.users.findById(id);
    if (!user) throw accountGone();
    if (user.isExternal) {
      throw new Problem('forbidden', message('password-external'));
    }
    const isReplacement = user.passwordHash !== null;
    if (isReplacement) {
      if (!currentPassword) throw currentPasswordNeeded();
      await this.passwords.assertCurrent(user, currentPassword, 'password.changed');
    } else await confirm();
    const redeem = async ({ securityStamp }: User) => {
      // The second of two concurrent changes was made with a password that is no longer the current one.
      if (securityStamp !== user.securityStamp) return undefined;
      await this.audit.record({ type: 'password.changed', outcome: 'success', subject: id });
      await also();
      return { provesAddress: false };
    };
    const choice = { field: 'newPassword', password: newPassword, isReplacement } as const;
    const prepared = await this.newPasswords.prepare(user, choice);
    await this.newPasswords.store(prepared, {
      redeem,
      ended: isReplacement ? currentPasswordWrong : () => new Problem('conflict', message('request-outdated')),
    });
  }

  /** `assertMay` runs in the same transaction, with the account locked. */
  async removePassword(id: string, assertMay: () => Promise<void>): Promise<void> {
    const redeem = async ({ isExternal, passwordHash }: User) => {
      if (isExternal || passwordHash === null) return undefined;
      await assertMay();
      await this.audit.record({ type: 'password.removed', outcome: 'success', subject: id });
      return { provesAddress: false };
    };
    await this.newPasswords.giveUp(id, {
      redeem,
      ended: () => new Problem('conflict', message('password-none')),
    });
  }
}

function accountGone(): Problem {
  return new Problem('not-found', message('request-outdated'));
}
