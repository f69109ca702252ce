import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Config } from '../../platform/config/config.js';
import { randomId, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { Mail } from '../../platform/mail/mail.js';
import { ReadinessNotes } from '../domain/readiness-notes.js';

const perAdministrator: Limit = { name: 'test-mail', points: 10, seconds: 3600 };

/** Mails by which an administrator proves that mail of the portal arrives: the mail has a link to the report. */
@Injectable()
export class TestMails {
  constructor(
    private readonly notes: ReadinessNotes,
    private readonly mail: Mail,
    private readonly limits: Limits,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Sends one to the administrator; it replaces an earlier one. */
  async send(accountId: string): Promise<void> {
    if (!this.config.email.smtp) throw new Problem('conflict', message('test-mail-no-server'));
    const recipient = await this.notes.recipient(accountId);
    if (!recipient?.email) throw new Problem('conflict', message('test-mail-no-address'));
    const { email, fullName } = recipient;
    await this.limits.takePoint(perAdministrator, accountId);
    await this.database.transaction(async () => {
      const token = randomId();
      const link = `${this.config.server.issuer}/admin/readiness?mail=${token}`;
      const mailId = await this.mail.post('test-mail', email, { name: fullName, link });
      await this.notes.writeTestMail({ accountId, mailId, tokenHash: sha256(token) });
    });
  }

  /** Confirms that the latest test mail has arrived; a second time changes nothing. */
  async confirm(token: string): Promise<void> {
    if (await this.notes.confirmTestMail(sha256(token))) return;
    throw new Problem('invalid', message('test-mail-link-old'));
  }
}
