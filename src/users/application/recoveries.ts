import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { log } from '../../platform/logging/log.js';
import { Mail } from '../../platform/mail/mail.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { AccountRecoveries, type AccountRecovery, coversSecondFactor } from '../domain/account-recovery.js';
import { type User, Users } from '../domain/user.js';
import { LinkMailer } from './link-mailer.js';
import { type Link, linkEnded, PasswordLinks } from './passwords/password-links.js';
import { type RequestLink, RequestLinks } from './request-links.js';

const guesses: Limit = { name: 'recovery-link', points: 50, seconds: 3600 };
/** Each is a mail to the owner, who may have ended the one before. */
const starts: Limit = { name: 'recovery-start', points: 5, seconds: 86_400 };
const everyMs = 60_000;
const batch = 100;

/** The end of a recovery that waited. */
type RecoveryEnd = 'sign-in' | 'mail' | 'account-settings';

/** The way in which a recovery was begun: by a mailed link, or after the password at a sign-in. */
type RecoveryStart = 'link' | 'sign-in';

/** Hours that a user without a second factor can wait instead of asking the help desk; null where not offered. */
export function waitHoursForLostFactor({ account, email }: Pick<Config, 'account' | 'email'>): number | null {
  return account.lostSecondFactor === 'waiting-time' && email.smtp !== undefined ? account.recoveryWaitHours : null;
}

/**
 * The waiting time of users who have lost all passkeys, or their authenticator app, and all recovery codes: a mailbox
 * alone must not open an account that was better protected. Its owner is notified, and has the time to end it.
 *
 * | state | ends by |
 * |---|---|
 * | waiting (`account.recoveryWaitHours`) | a sign-in, the link of the mail, the account settings, a password chosen with a code or passkey |
 * | ready (seven days, a link is mailed) | the same, or a password chosen with a mailed link |
 */
@Injectable()
export class Recoveries implements OnModuleInit, OnModuleDestroy {
  readonly hours: number;
  private readonly hoursForFactor: number | null;
  private readonly way: Config['account']['lostSecondFactor'];
  private sweeps: Repeated | undefined;

  constructor(
    private readonly recoveries: AccountRecoveries,
    private readonly users: Users,
    private readonly requestLinks: RequestLinks,
    private readonly passwordLinks: PasswordLinks,
    private readonly mailer: LinkMailer,
    private readonly limits: Limits,
    private readonly mail: Mail,
    private readonly audit: Audit,
    private readonly database: Database,
    config: Config,
  ) {
    this.hours = config.account.recoveryWaitHours;
    this.hoursForFactor = waitHoursForLostFactor(config);
    this.way = config.account.lostSecondFactor;
  }

  onModuleInit(): void {
    this.sweeps = repeat(everyMs, 'sending of recovery links failed; will retry', () => this.sendDue());
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweeps?.stop();
  }

  ofAccount(accountId: string): Promise<AccountRecovery | undefined> {
    return this.recoveries.findByAccount(accountId);
  }

  /**
   * Begins the waiting time by a link for a new password, and returns its end, also of one that runs already. The link
   * stays valid: its answer may be lost, or a code be found after all.
   */
  async begin(link: Link): Promise<Date> {
    const { id } = await this.passwordLinks.holder('password-reset', link);
    const readyAt = await this.start(id, 'link');
    if (!readyAt) throw linkEnded();
    return readyAt;
  }

  /**
   * Begins the waiting time of a user who has proven the password, but has lost the second factor; otherwise as
   * {@link begin}. Throws `forbidden` where the configuration does not offer it, and for an administrator.
   */
  async beginAtSignIn(accountId: string): Promise<Date> {
    if (this.hoursForFactor === null) throw new Problem('forbidden', message('recovery-by-help-desk'));
    if (!(await this.coversSecondFactor(accountId))) throw new Problem('forbidden', message('recovery-by-operator'));
    const readyAt = await this.start(accountId, 'sign-in');
    if (!readyAt) throw new Problem('not-found', message('current-user-gone'));
    return readyAt;
  }

  /** True if a recovery that has waited also removes the authenticator app of this account. */
  async coversSecondFactor(accountId: string): Promise<boolean> {
    const user = await this.users.findById(accountId);
    return user !== undefined && coversSecondFactor(this.way, user.userType);
  }

  /** Uses up a recovery whose waiting time is over, in the caller's transaction; false if there is none. */
  takeReady(accountId: string): Promise<boolean> {
    return this.recoveries.takeReady(accountId);
  }

  /** Uses up a recovery that is no longer needed, since its user has proven more, in the caller's transaction. */
  async withdraw(accountId: string): Promise<void> {
    await this.recoveries.withdraw(accountId);
  }

  /** Ends the recovery of a user who is back, if there is one; joins the caller's transaction. */
  async end(accountId: string, by: Exclude<RecoveryEnd, 'mail'>): Promise<void> {
    await this.database.transaction(async () => {
      if (await this.recoveries.withdraw(accountId)) await this.recordEnd(accountId, by);
    });
  }

  /** The end of the waiting time, by the link of its mail; undefined for a recovery that has ended. */
  async check(link: RequestLink): Promise<Date | undefined> {
    return (await this.ofLink(link))?.readyAt;
  }

  /** Ends the recovery of a link of the mail. Succeeds again after a lost answer. */
  async endByLink(link: RequestLink): Promise<void> {
    await this.database.transaction(async () => {
      const recovery = await this.ofLink(link);
      if (!recovery || !(await this.recoveries.withdraw(link.userId, recovery.requestedAt))) return;
      await this.recordEnd(link.userId, 'mail');
    });
  }

  /** Mails the link at the end of a waiting time; each is a transaction, which one node commits. */
  async sendDue(): Promise<void> {
    for (const id of await this.recoveries.due(batch)) {
      await this.sendOne(id).catch((err: unknown) =>
        log.warn({ err, account: id }, 'sending of a recovery link failed; will retry'),
      );
    }
    await this.recoveries.removeOver();
  }

  /** Undefined if there is no such account. */
  private async start(accountId: string, by: RecoveryStart): Promise<Date | undefined> {
    if (!(await this.recoveries.findByAccount(accountId))) await this.limits.takePoint(starts, accountId);
    return this.database.transaction(async () => {
      const user = await this.users.findForChange(accountId);
      if (!user) return undefined;
      const { isNew, ...recovery } = await this.recoveries.begin(user.id, this.hours);
      if (isNew) await this.notify(user, recovery, by);
      return recovery.readyAt;
    });
  }

  private async sendOne(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const user = await this.users.findForChange(id);
      if (!user || !(await this.recoveries.takeDue(id))) return;
      await this.mailer.send('password-reset', user);
      const detail = { by: 'recovery' };
      await this.audit.record({ type: 'password.reset-requested', outcome: 'success', subject: id, detail });
    });
  }

  /** The recovery of a link of the mail; undefined if it has ended. Throws for a link that was never made. */
  private async ofLink(link: RequestLink): Promise<AccountRecovery | undefined> {
    const { userId, caller } = link;
    await this.limits.check(guesses, caller);
    const requestedAt = this.requestLinks.requestTimeIn('account-recovery', link);
    if (!requestedAt) {
      await this.limits.count(guesses, caller);
      throw new Problem('invalid', message('recovery-link-ended'));
    }
    const recovery = await this.recoveries.findByAccount(userId);
    return recovery?.requestedAt.getTime() === requestedAt.getTime() ? recovery : undefined;
  }

  /** Records a recovery that begins, and notifies the user: it may not be their own. */
  private async notify(
    { id, email, fullName, locale, userType }: User,
    { requestedAt, readyAt }: AccountRecovery,
    by: RecoveryStart,
  ): Promise<void> {
    const detail = { readyAt: readyAt.toISOString(), by };
    await this.audit.record({ type: 'account.recovery-requested', outcome: 'success', subject: id, detail });
    if (email === null) return;
    const link = this.requestLinks.addressFor('account-recovery', id, requestedAt);
    // The request is perhaps not the recipient's: it does not choose the language.
    const turnsOff = coversSecondFactor(this.way, userType);
    await this.mail.post(
      'account-recovery',
      email,
      { name: fullName, link, when: readyAt, by, turnsOff },
      locale ?? 'en',
    );
  }

  private async recordEnd(accountId: string, by: RecoveryEnd): Promise<void> {
    const type = 'account.recovery-canceled';
    await this.audit.record({ type, outcome: 'success', subject: accountId, detail: { by } });
  }
}
