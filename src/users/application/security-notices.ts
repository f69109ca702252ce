import { Injectable } from '@nestjs/common';
import { Mail } from '../../platform/mail/mail.js';
import type { MailValues } from '../../platform/mail/mail-templates.js';
import { type User, Users } from '../domain/user.js';

type Notice =
  | { name: 'password-changed' }
  | { name: 'two-factor-changed'; enabled: boolean }
  | { name: 'two-factor-reset'; by: 'administrator' | 'recovery' }
  | { name: 'passkey-changed'; event: 'added' | 'removed' | 'cloned'; passkey: string }
  | { name: 'passkey-changed'; event: 'codes-made' | 'password-removed' }
  | { name: 'recovery-code-used'; left: number }
  | { name: 'many-failures' }
  | { name: 'app-access-ended'; app: string }
  | ({ name: 'receipt' } & MailValues)
  | { name: 'family-changed' }
  | { name: 'request-answered' }
  | { name: 'record-seen-in-error' }
  | { name: 'family-changes' }
  | { name: 'account-deleted' };

const namesCausedByOthers: readonly Notice['name'][] = [
  'many-failures',
  'app-access-ended',
  'two-factor-reset',
  'family-changed',
  'request-answered',
  'record-seen-in-error',
  'family-changes',
];

/** The request is not the recipient's: an attacker must not choose the language of a warning. */
function isCausedByOthers(notice: Notice): boolean {
  const isCopyInUse = notice.name === 'passkey-changed' && notice.event === 'cloned';
  return isCopyInUse || namesCausedByOthers.includes(notice.name);
}

/** Mails that tell users of changes to their account, in case they did not make them. */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: Users,
    private readonly mail: Mail,
  ) {}

  /**
   * Runs in the caller's transaction; sends nothing for an account that is gone or has no address. Returns true if
   * there is a mail.
   */
  async send(accountId: string, notice: Notice): Promise<boolean> {
    const user = await this.users.findById(accountId);
    return user !== undefined && this.sendTo(user, notice);
  }

  async sendTo({ email, fullName, locale }: User, notice: Notice): Promise<boolean> {
    if (email === null) return false;
    const { name, ...values } = notice;
    const language = locale ?? (isCausedByOthers(notice) ? 'en' : undefined);
    await this.mail.post(name, email, { ...values, name: fullName, when: new Date() }, language);
    return true;
  }
}
