import { randomUUID } from 'node:crypto';
import type { Secrets } from '../crypto/secrets.js';
import type { Database } from '../database/database.js';
import type { Notifications } from '../database/notifications.js';
import type { MailName, MailTemplates, MailValues, RenderedMail } from './mail-templates.js';

export const mailChannel = 'mail';

/** A mail in the outbox. */
export interface OutgoingMail extends RenderedMail {
  to: string;
}

/**
 * Mail is written into the outbox in the transaction of the use case and sent later ({@link MailDelivery}): it is sent
 * only if its event has happened, and a mail server that is down, slow or refuses fails no request (security R-09). The
 * bodies hold links that give access to accounts, so they are sealed at rest.
 */
export class Mail {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly templates: MailTemplates,
    private readonly notifications: Notifications,
  ) {}

  /**
   * Returns the mail's id. `to` is one address; names stay out of headers. `locale` is the language of the recipient; it is
   * that of the current request when it is not known, or when there are no texts for it.
   */
  async post(name: MailName, to: string, values: MailValues, locale?: string): Promise<string> {
    const id = randomUUID();
    const mail: OutgoingMail = { to, ...(await this.templates.render(name, values, locale)) };
    const sealed = this.secrets.seal('mail', JSON.stringify(mail), id);
    await this.database.query('INSERT INTO mail_outbox (id, sealed) VALUES ($1, $2)', [id, sealed]);
    await this.notifications.send(mailChannel);
    return id;
  }

  /** Deletes a mail that became pointless before it was sent. */
  async withdraw(id: string): Promise<void> {
    await this.database.query('DELETE FROM mail_outbox WHERE id = $1', [id]);
  }
}
