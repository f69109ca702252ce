import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../../contract/audit/audit-types.js';
import { type Message, message } from '../../../contract/messages/message.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { PasswordHashing } from '../../../platform/crypto/password-hashing.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { passwordProblems, passwordUnchanged } from '../../domain/password-policy.js';
import type { User } from '../../domain/user.js';

const guesses: Limit = { name: 'password-change', points: 5, seconds: 300 };

/** The only place where passwords are judged, stored and compared. */
@Injectable()
export class Passwords {
  constructor(
    private readonly hashing: PasswordHashing,
    private readonly config: Config,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /**
   * Problems of this password for the account with this address; checked wherever a password is chosen (security
   * H-12).
   */
  problems(password: string, email: string): Message[] {
    const { account, branding } = this.config;
    return passwordProblems(password, {
      settings: account.password,
      email,
      organization: branding.organizationTitle,
    });
  }

  /** The same for a user who has a password already, which the new one must not repeat. */
  async problemsFor(
    { email, passwordHash }: Pick<User, 'email' | 'passwordHash'>,
    password: string,
  ): Promise<Message[]> {
    const problems = this.problems(password, email ?? '');
    if (problems.length > 0 || passwordHash === null) return problems;
    return (await this.matches(password, passwordHash)) ? [passwordUnchanged] : [];
  }

  hash(password: string): Promise<string> {
    return this.hashing.hash(password);
  }

  /** False, after the same time, when there is no hash to compare with. */
  matches(password: string, hash: string | null | undefined): Promise<boolean> {
    return this.hashing.verify(password, hash ?? undefined);
  }

  /**
   * Proof that a signed-in user knows their password: the holder of a session must not be able to guess it. Throws when
   * this is not the user's password, or the user has guessed too often. `type` is that of the refused action.
   */
  async assertCurrent(user: User, password: string, type: AuditType): Promise<void> {
    await this.limits.takePoint(guesses, user.id);
    if (!(await this.matches(password, user.passwordHash))) {
      await this.audit.recordRefusal({ type, subject: user.id });
      throw currentPasswordWrong();
    }
    await this.limits.forget(guesses, user.id);
  }
}

export function currentPasswordWrong(): Problem {
  return Problem.invalid([{ field: 'currentPassword', messages: [message('current-password-wrong')] }]);
}

export function currentPasswordNeeded(): Problem {
  return Problem.invalid([{ field: 'currentPassword', messages: [message('current-password-needed')] }]);
}
