import { Injectable } from '@nestjs/common';
import type { Message } from '../../../contract/messages/message.js';
import { Config } from '../../../platform/config/config.js';
import { PasswordHashing } from '../../../platform/crypto/password-hashing.js';
import { passwordProblems, passwordUnchanged } from '../../domain/password-policy.js';
import type { User } from '../../domain/user.js';

/** The only place where passwords are judged, stored and compared. */
@Injectable()
export class Passwords {
  constructor(
    private readonly config: Config,
    private readonly hashing: PasswordHashing,
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
}
