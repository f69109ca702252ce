import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Secrets } from '../crypto/secrets.js';
import type { JobKind } from '../jobs/job-kind.js';
import { Jobs } from '../jobs/jobs.js';
import { type MailName, MailTemplates, type MailValues, type RenderedMail } from './mail-templates.js';

/** Age at which the content of a mail is out of date. */
export const keptDays = 7;

/** A mail that waits to be sent: the id of its Message-ID, and an {@link OutgoingMail} that is sealed for this id. */
export interface MailJob {
  id: string;
  /** Base64. */
  sealed: string;
}

export const mailJobs: JobKind<MailJob> = {
  name: 'mail',
  batchSize: 1,
  leaseSeconds: 120,
  lookEveryMs: 5_000,
  firstPauseSeconds: 5,
  // While the server is unreachable all mail waits for the same cause, and should be sent soon after it ends.
  longestPauseSeconds: 10 * 60,
  giveUpAfterSeconds: keptDays * 24 * 3600,
};

export interface OutgoingMail extends RenderedMail {
  to: string;
}

/**
 * Mail is a job that is added in the transaction of the use case and sent later ({@link MailDelivery}): it is sent
 * only if its event has happened, and a mail server that is down, slow or refuses fails no request (security R-09). The
 * bodies hold links that give access to accounts, so they are sealed at rest.
 */
@Injectable()
export class Mail {
  constructor(
    private readonly jobs: Jobs,
    private readonly secrets: Secrets,
    private readonly templates: MailTemplates,
    private readonly config: Config,
  ) {}

  /**
   * Returns the mail's id. `to` is one address; names stay out of headers. `locale` is the language of the recipient;
   * it is that of the current request when it is not known, or when there are no texts for it.
   */
  async post(name: MailName, to: string, values: MailValues, locale?: string): Promise<string> {
    const id = randomUUID();
    const mail: OutgoingMail = { to, ...(await this.templates.render(name, values, locale)) };
    const sealed = this.secrets.seal('mail', JSON.stringify(mail), id).toString('base64');
    await this.jobs.add(mailJobs, { id, sealed }, { key: id });
    return id;
  }

  /** True if a mail could not be sent yet: within a minute, or because there is no mail server. */
  isDelayed(id: string): Promise<boolean> {
    return this.jobs.isDelayed(mailJobs, id, this.config.email.smtp ? 60 : 0);
  }

  /** Deletes a mail that became pointless before it was sent. */
  async withdraw(id: string): Promise<void> {
    await this.jobs.withdraw(mailJobs, id);
  }
}
