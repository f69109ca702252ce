import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { emailProblem } from '../../contract/rules/email.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { Config } from '../../platform/config/config.js';
import { randomId, sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { LinkPurpose } from '../domain/account-link.js';
import { type User, Users } from '../domain/user.js';
import { LinkMailer } from './link-mailer.js';
import { Passwords } from './passwords.js';
import { SecurityNotices } from './security-notices.js';

const hour = 3600;
const requestsPerAccount: Limit = { name: 'forgot-account', points: 5, seconds: hour };
const guessesPerAccount: Limit = { name: 'link-account', points: 10, seconds: hour };
const guessesPerAddress: Limit = { name: 'link-address', points: 50, seconds: hour };
const recordedAs = { activation: 'account.activated', 'password-reset': 'password.reset' } as const;
/** Longer than posting a mail takes: the answer must not tell by its time whether there was one. */
const answerAfterMs = 300;

export interface Link {
  userId: string;
  token: string;
  /** Whom limits count. */
  caller: string;
}

export interface Choice extends Link {
  password: string;
}

/**
 * Choosing a password with a link that came by mail, for the first time (activation) or because the one before was
 * forgotten. The link is checked before any other answer, so that an answer reveals nothing about an account to a
 * caller without it: an unknown account, a wrong, used or old token are one and the same refusal (security F-14). It
 * is used up in the transaction that stores the password, never by a GET: mail scanners follow links (H-07).
 */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly users: Users,
    private readonly links: LinkMailer,
    private readonly passwords: Passwords,
    private readonly notices: SecurityNotices,
    private readonly revocations: Revocations,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Sends a link if the address has an account with a local password; reveals nothing about it, not even by its time.
   */
  async requestReset(email: string, caller: string): Promise<void> {
    const problem = emailProblem(email);
    if (problem) throw Problem.invalid([{ field: 'email', messages: [problem] }]);
    await Promise.all([this.sendReset(email.trim(), caller), sleep(answerAfterMs)]);
  }

  async activate(choice: Choice): Promise<void> {
    await this.choose('activation', choice, async () => undefined);
  }

  /**
   * Ends everything that was begun with the previous password. Returns the account's address to which the link was
   * sent.
   */
  reset(choice: Choice): Promise<string> {
    return this.choose('password-reset', choice, async (user) => {
      await this.revocations.revokeAccount(user.id);
      await this.notices.sendTo(user, { name: 'password-changed' });
    });
  }

  private async sendReset(email: string, caller: string): Promise<void> {
    const account = sha256(email.toLowerCase());
    // All users of a hospital may come from one address; a client that asks there for many accounts gets a few mails
    // for each.
    const perAddress: Limit = { name: 'forgot-address', points: this.config.limits.startsPerMinute, seconds: 60 };
    if (!(await isAllowed(this.limits.takeOften(perAddress, caller)))) return;
    if (!(await isAllowed(this.limits.take(requestsPerAccount, account)))) return;
    await this.database.transaction(async () => {
      const found = await this.users.findByEmail(email);
      const user = found && (await this.users.findForChange(found.id));
      if (!user || user.isExternal) return;
      await this.links.send('password-reset', user);
      await this.audit.record({ type: 'password.reset-requested', outcome: 'success', subject: user.id });
    });
  }

  /** The address that a link came to, which is not used up; a link that is no longer good counts as a guess. */
  async check(purpose: LinkPurpose, link: Link): Promise<string> {
    return (await this.holderOf(purpose, link)).email ?? '';
  }

  private async holderOf(purpose: LinkPurpose, { userId, token, caller }: Link): Promise<User> {
    // The key has a fixed length, whatever was sent.
    const account = sha256(userId);
    await this.limits.check(guessesPerAddress, caller);
    await this.limits.check(guessesPerAccount, account);
    const user = await this.users.find(userId);
    if (!user || !(await this.links.isOpen(purpose, user.id, token))) {
      await this.limits.take(guessesPerAddress, caller);
      await this.limits.take(guessesPerAccount, account);
      await this.audit.recordRefusal({ type: recordedAs[purpose], subject: user?.id });
      throw noLongerValid();
    }
    return user;
  }

  private async choose(purpose: LinkPurpose, choice: Choice, alsoDo: (user: User) => Promise<void>): Promise<string> {
    const { userId, token, password } = choice;
    const user = await this.holderOf(purpose, choice);
    const messages = await this.passwords.problemsFor(user, password);
    if (messages.length > 0) throw Problem.invalid([{ field: 'password', messages }]);
    const passwordHash = await this.passwords.hash(password);
    await this.database.transaction(async () => {
      const before = await this.users.findForChange(userId);
      if (!before || !(await this.links.use(purpose, userId, token))) throw noLongerValid();
      const changed = before.withPassword(passwordHash, randomId());
      await this.users.change(changed, before);
      await this.audit.record({ type: recordedAs[purpose], outcome: 'success', userId, subject: userId });
      await alsoDo(changed);
    });
    return user.email ?? '';
  }
}

async function isAllowed(taken: Promise<unknown>): Promise<boolean> {
  try {
    await taken;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'throttled') return false;
    throw error;
  }
}

function noLongerValid(): Problem {
  return new Problem('invalid', message('link-ended'));
}
