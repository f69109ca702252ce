import { Injectable } from '@nestjs/common';
import { randomId } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { AccountLinks } from '../../domain/account-link.js';
import { type User, Users } from '../../domain/user.js';
import { SecurityNotices } from '../security-notices.js';
import { Passwords } from './passwords.js';

export interface PreparedPassword {
  user: User;
  passwordHash: string;
  /** False for the first password of an account. */
  isReplacement: boolean;
}

interface Choice {
  /** The field of the form, to which problems of the password belong. */
  field: 'password' | 'newPassword';
  password: string;
  /** False for the first password of an account. */
  isReplacement: boolean;
}

/** A right that was used up. */
export interface Redeemed {
  /** True for a link that came by mail to the address of the account. */
  provesAddress: boolean;
}

/** The right of a user to choose a password now: a link or the current password. */
interface Entitlement {
  /**
   * Runs in the transaction that stores the password, with the locked account. Uses the right up, and does everything
   * else that belongs to the change. Returns undefined, before any of that, if the right has ended meanwhile.
   */
  redeem: (current: User) => Promise<Redeemed | undefined>;
  /** The refusal if the right has ended meanwhile. */
  ended: () => Problem;
}

/** The replacement of an account's password: what is required of the new one, and what ends with the old one. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly users: Users,
    private readonly links: AccountLinks,
    private readonly passwords: Passwords,
    private readonly notices: SecurityNotices,
    private readonly database: Database,
  ) {}

  /**
   * Checks and hashes the password before the transaction, because that takes time. Throws `invalid` at the field.
   */
  async prepare(user: User, { field, password, isReplacement }: Choice): Promise<PreparedPassword> {
    const messages = await this.passwords.problemsFor(user, password);
    if (messages.length > 0) throw Problem.invalid([{ field, messages }]);
    return { user, passwordHash: await this.passwords.hash(password), isReplacement };
  }

  /** Removes the password, if there is one, in favor of the passkey that `redeem` stores or finds. All links end. */
  async giveUp(accountId: string, { redeem, ended }: Entitlement): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(accountId);
      const redeemed = before && (await redeem(before));
      if (!redeemed) throw ended();
      const changed = before.withoutPassword(randomId(), redeemed);
      await this.users.change(changed, before);
      await this.links.removeAll(accountId);
      if (before.passwordHash === null) return;
      await this.notices.sendTo(changed, { name: 'passkey-changed', event: 'password-removed' });
    });
  }

  /** Stores a prepared password. All links end (security H-05). */
  async store({ user, passwordHash, isReplacement }: PreparedPassword, { redeem, ended }: Entitlement): Promise<void> {
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(user.id);
      const redeemed = before && (await redeem(before));
      if (!redeemed) throw ended();
      const changed = before.withPassword(passwordHash, randomId(), redeemed);
      await this.users.change(changed, before);
      await this.links.removeAll(user.id);
      if (isReplacement) await this.notices.sendTo(changed, { name: 'password-changed' });
    });
  }
}
