import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { PasswordHashing } from '../../platform/crypto/password-hashing.js';
import { passwordProblems } from '../domain/password-policy.js';

/** The one way in which passwords are judged, stored and compared. */
@Injectable()
export class Passwords {
  constructor(
    private readonly config: Config,
    private readonly hashing: PasswordHashing,
  ) {}

  /** What speaks against this password for the account with this address; wherever one is chosen (security H-12). */
  problems(password: string, email: string): string[] {
    const { account, branding } = this.config;
    return passwordProblems(password, {
      settings: account.password,
      email,
      organization: branding.organizationTitle,
    });
  }

  hash(password: string): Promise<string> {
    return this.hashing.hash(password);
  }

  /** False, after the same time, when there is no hash to compare with. */
  matches(password: string, hash: string | null | undefined): Promise<boolean> {
    return this.hashing.verify(password, hash ?? undefined);
  }
}
