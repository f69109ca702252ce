import { Injectable } from '@nestjs/common';
import { type Choice, PasswordLinks } from '../../users/application/password-links.js';
import { LoginLimits } from './login-limits.js';

/** The ways into an account by mail. */
@Injectable()
export class Recovery {
  constructor(
    private readonly links: PasswordLinks,
    private readonly limits: LoginLimits,
  ) {}

  requestReset(email: string, caller: string): Promise<void> {
    return this.links.requestReset(email, caller);
  }

  activate(choice: Choice): Promise<void> {
    return this.links.activate(choice);
  }

  /** Also lets somebody in again who was kept out because others guessed (security F-03). */
  async reset(choice: Choice): Promise<void> {
    await this.limits.forgive(await this.links.reset(choice));
  }
}
