import { Injectable } from '@nestjs/common';
import type { AuditType } from '../../../contract/audit/audit-types.js';
import { message } from '../../../contract/messages/message.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import type { User } from '../../domain/user.js';
import { Passwords } from './passwords.js';

const guesses: Limit = { name: 'password-change', points: 5, seconds: 300 };

/** Proof that a signed-in user knows their password: the holder of a session must not be able to guess it. */
@Injectable()
export class CurrentPasswords {
  constructor(
    private readonly passwords: Passwords,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /** Throws when this is not the user's password, or the user has guessed too often. `type` is that of the refused action. */
  async assertKnown(user: User, password: string, type: AuditType): Promise<void> {
    await this.limits.takePoint(guesses, user.id);
    if (!(await this.passwords.matches(password, user.passwordHash))) {
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
