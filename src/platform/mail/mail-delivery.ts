import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config/config.js';
import { senderOf } from '../config/email.js';
import { Secrets } from '../crypto/secrets.js';
import { type JobFailure, oneByOne } from '../jobs/job-kind.js';
import { JobRunner } from '../jobs/job-runner.js';
import { log } from '../logging/log.js';
import { type MailJob, mailJobs, type OutgoingMail } from './mail.js';

type Smtp = NonNullable<Config['email']['smtp']>;
type SentListener = (mailId: string) => Promise<void>;

/** Shorter than the lease of an attempt. */
const attemptMs = 60_000;
/** Longest pause for a mail that the server refuses; the pauses grow. */
const longestRefusedPauseSeconds = 24 * 60 * 60;

/**
 * Sends the waiting mails over SMTP, on any free node, at least once; the Message-ID stays the same and identifies a
 * second copy. Without a mail server all mail is kept.
 */
@Injectable()
export class MailDelivery implements OnModuleInit {
  private readonly listeners: SentListener[] = [];

  constructor(
    private readonly config: Config,
    private readonly secrets: Secrets,
    private readonly runner: JobRunner,
  ) {}

  /**
   * Registers a listener for mails that the mail server has accepted; it runs in the transaction that removes the mail.
   */
  whenSent(listener: SentListener): void {
    this.listeners.push(listener);
  }

  onModuleInit(): void {
    const { smtp } = this.config.email;
    if (!smtp) {
      log.warn('no mail server is configured (email.smtp): mail is kept and not sent');
      return;
    }
    this.runner.register(mailJobs, {
      attempt: oneByOne(({ payload }) => this.deliver(smtp, payload)),
      whenDone: async ({ payload: { id } }) => {
        for (const listener of this.listeners) await listener(id);
      },
    });
  }

  private async deliver(smtp: Smtp, { id, sealed }: MailJob): Promise<JobFailure | undefined> {
    try {
      await this.send(smtp, id, JSON.parse(this.secrets.open('mail', Buffer.from(sealed, 'base64'), id)));
    } catch (error) {
      const { responseCode } = error as { responseCode?: number };
      const reason = reasonOf(error);
      return responseCode === undefined ? { reason } : { reason, longestPauseSeconds: longestRefusedPauseSeconds };
    }
    log.info({ mail: id }, 'mail sent');
    return undefined;
  }

  private async send(smtp: Smtp, id: string, { to, subject, text, html }: OutgoingMail): Promise<void> {
    // Loaded with the first mail: many nodes send none.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      host: smtp.host,
      port: smtp.port,
      secure: smtp.security === 'tls',
      requireTLS: smtp.security === 'starttls',
      ignoreTLS: smtp.security === 'none',
      ...(smtp.user === undefined ? {} : { auth: { user: smtp.user, pass: smtp.password ?? '' } }),
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
      ...(smtp.ehloName === undefined ? {} : { name: smtp.ehloName }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { name = this.config.branding.organizationTitle ?? 'Gatehouse', address = '' } =
      senderOf(this.config.email.from ?? '') ?? {};
    const domain = new URL(this.config.server.issuer).hostname;
    let timer: NodeJS.Timeout | undefined;
    // The socket's time-out restarts with every byte of a slow server.
    const tooSlow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the mail server timed out')), attemptMs);
    });
    try {
      const sending = transport.sendMail({
        from: { name, address },
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        // Automatic replies (out of office) serve no purpose (RFC 3834 §5).
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      await Promise.race([sending, tooSlow]);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  }
}

/** Server responses repeat the recipient's address, which must not be logged. */
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  return responseCode === undefined ? `${code ?? ''} ${message ?? ''}`.trim() : `${code} ${responseCode}`;
}
