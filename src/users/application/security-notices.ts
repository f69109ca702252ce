import { Injectable } from '@nestjs/common';
import { Mail } from '../../platform/mail/mail.js';
import { type User, Users } from '../domain/user.js';

type Notice =
  | { name: 'password-changed' }
  | { name: 'two-factor-changed'; enabled: boolean }
  | { name: 'recovery-code-used'; left: number }
  | { name: 'many-failures' }
  | { name: 'app-access-ended'; app: string };

/** The request is not the recipient's: an attacker must not choose the language of a warning. */
const causedByOthers: readonly Notice['name'][] = ['many-failures', 'app-access-ended'];

/** Mails that tell users of changes to their account, in case they did not make them. */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: Users,
    private readonly mail: Mail,
  ) {}

  /** Runs in the caller's transaction; sends nothing for an account that is gone or has no address. */
  async send(accountId: string, notice: Notice): Promise<void> {
    const user = await this.users.find(accountId);
    if (user) await this.sendTo(user, notice);
  }

  async sendTo({ email, fullName, locale }: User, { name, ...values }: Notice): Promise<void> {
    if (email === null) return;
    const language = locale ?? (causedByOthers.includes(name) ? 'en' : undefined);
    await this.mail.post(name, email, { ...values, name: fullName, when: new Date() }, language);
  }
}
