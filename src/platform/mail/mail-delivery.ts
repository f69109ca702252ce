import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import type { Config } from '../config/config.js';
import { senderOf } from '../config/sender.js';
import type { Secrets } from '../crypto/secrets.js';
import type { Database } from '../database/database.js';
import type { Notifications } from '../database/notifications.js';
import { log } from '../logging/log.js';
import { mailChannel, type OutgoingMail } from './mail.js';

type Smtp = NonNullable<Config['email']['smtp']>;
type SentListener = (mailId: string) => Promise<void>;

interface Claimed {
  id: string;
  sealed: Buffer;
  attempts: number;
}

/** Polling interval for mails that become due without a notification. */
const lookEveryMs = 5_000;
/** Longer than an attempt may take: another node retries the mail of a node that died. */
const leaseSeconds = 120;
const attemptMs = 60_000;
const firstPauseSeconds = 5;
/**
 * Longest pause while the server is unreachable: all mail waits for the same cause and should be sent soon after it
 * ends.
 */
const longestPauseSeconds = 10 * 60;
const patienceAtStopMs = 3_000;
/** Longest pause for a mail that the server refuses; the pauses grow. */
const longestRefusedPauseSeconds = 24 * 60 * 60;
export const keptDays = 7;

/**
 * Sends the mails of the outbox over SMTP, on any free node.
 *
 * Lifecycle of a mail: claimed by one conditional statement that also sets the next due time, sent outside of any
 * transaction (a slow server must hold no connection), then deleted. A node that dies in between leaves it due again,
 * so a mail is sent at least once; its Message-ID stays the same and identifies a second copy. A failed attempt is
 * repeated with growing pauses. After seven days the content of a mail is out of date, and it is dropped.
 */
export class MailDelivery implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly listeners: SentListener[] = [];
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly secrets: Secrets,
    notifications: Notifications,
  ) {
    notifications.on(mailChannel, () => this.wake());
    notifications.onReconnect(() => this.wake());
  }

  /**
   * Registers a listener for mails that the mail server has accepted; it runs in the transaction that deletes the mail
   * from the outbox.
   */
  whenSent(listener: SentListener): void {
    this.listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    if (!this.config.email.smtp) {
      log.warn('no mail server is configured (email.smtp): mail is kept and not sent');
      return;
    }
    this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    // A mail server that hangs must not delay the shutdown: another node, or this one later, sends the mail again.
    await Promise.race([this.round, sleep(patienceAtStopMs, undefined, { ref: false })]);
  }

  /** Starts a round; one at a time per node. A mail that is posted during a round gets another one. */
  private wake(): void {
    const { smtp } = this.config.email;
    if (!smtp || this.stopped) return;
    this.again = true;
    this.round ??= this.deliverAll(smtp)
      .catch((error: unknown) => log.warn({ err: error }, 'reading of the mail outbox failed; will retry'))
      .finally(() => {
        this.round = undefined;
      });
  }

  private async deliverAll(smtp: Smtp): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      await this.dropOld();
      while (!this.stopped) {
        const mail = await this.claim();
        if (!mail) break;
        // Delivers also during a shutdown: a claimed mail would wait for the end of its lease.
        await this.deliver(smtp, mail);
      }
    }
  }

  private async claim(): Promise<Claimed | undefined> {
    const { rows } = await this.database.query<Claimed & { [column: string]: unknown }>(
      `UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
        WHERE id = (SELECT id FROM mail_outbox WHERE next_attempt_at <= now()
                     ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, sealed, attempts`,
      [leaseSeconds],
    );
    return rows[0];
  }

  private async deliver(smtp: Smtp, { id, sealed, attempts }: Claimed): Promise<void> {
    try {
      await this.send(smtp, id, JSON.parse(this.secrets.open('mail', sealed, id)));
    } catch (error) {
      const { responseCode } = error as { responseCode?: number };
      const longest = responseCode === undefined ? longestPauseSeconds : longestRefusedPauseSeconds;
      const pause = Math.min(firstPauseSeconds * 2 ** (attempts - 1), longest);
      log.warn({ mail: id, attempts, pause, reason: reasonOf(error) }, 'sending of a mail failed; will retry');
      await this.database.query(
        'UPDATE mail_outbox SET next_attempt_at = now() + make_interval(secs => $2) WHERE id = $1',
        [id, pause],
      );
      return;
    }
    await this.database.transaction(async () => {
      await this.database.query('DELETE FROM mail_outbox WHERE id = $1', [id]);
      for (const listener of this.listeners) await listener(id);
    });
    log.info({ mail: id, attempts }, 'a mail was sent');
  }

  private async send(smtp: Smtp, id: string, { to, subject, text, html }: OutgoingMail): Promise<void> {
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

  private async dropOld(): Promise<void> {
    const { rows } = await this.database.query<{ id: string }>(
      'DELETE FROM mail_outbox WHERE created_at < now() - make_interval(days => $1) RETURNING id',
      [keptDays],
    );
    for (const { id } of rows) log.error({ mail: id }, `a mail could not be sent for ${keptDays} days and was dropped`);
  }
}

/** Server responses repeat the recipient's address, which must not be logged. */
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  return responseCode === undefined ? `${code ?? ''} ${message ?? ''}`.trim() : `${code} ${responseCode}`;
}
