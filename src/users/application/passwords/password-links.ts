import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import { addressKey, emailProblem } from '../../../contract/rules/users/email.js';
import type { UserType } from '../../../contract/session.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../../platform/audit/audit.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { StartLimits } from '../../../platform/limits/start-limits.js';
import { AccountLinks, type LinkOrigin, type LinkPurpose } from '../../domain/account-link.js';
import { type User, Users } from '../../domain/user.js';
import { LinkMailer, linkHash } from '../link-mailer.js';
import { NewPasswords, type PreparedPassword, type Redeemed } from './new-passwords.js';

const hour = 3600;
const requestsPerAccount: Limit = { name: 'forgot-account', points: 5, seconds: hour };
const guessesPerAccount: Limit = { name: 'link-account', points: 10, seconds: hour };
const guessesPerAddress: Limit = { name: 'link-address', points: 50, seconds: hour };

/** Longer than posting a mail takes: the answer must not tell by its time whether there was one. */
const answerAfterMs = 300;

/** Type of the audit event of a link's use, and of a refused use. */
const recordedAs = { activation: 'account.activated', 'password-reset': 'password.reset' } as const;

export interface Link {
  userId: string;
  token: string;
  /** Key of the rate limit. */
  caller: string;
}

export interface Choice extends Link {
  password: string;
}

export interface LinkHolder {
  accountId: string;
  /** The address that the link came to. */
  email: string;
  fullName: string;
  userType: UserType;
  /** The app's request during which the link was requested. */
  origin: LinkOrigin | undefined;
}

/** A password that the holder of a link has chosen, and that fulfils the rules. */
export interface ChosenPassword extends PreparedPassword {
  purpose: LinkPurpose;
  link: Link;
}

/**
 * Choosing a password with a link that came by mail, for the first time (activation) or because the one before was
 * forgotten. The link is checked before any other answer, so that an answer reveals nothing about an account to a
 * caller without it. It is used up in the transaction that stores the password, never by a GET: mail scanners follow
 * links (H-07).
 *
 * A link that cannot be used counts as a guess. An unknown account, a wrong, used or old token are one and the same
 * refusal, so that it reveals nothing about an account (security F-14).
 */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly users: Users,
    private readonly links: AccountLinks,
    private readonly newPasswords: NewPasswords,
    private readonly revocations: Revocations,
    private readonly mailer: LinkMailer,
    private readonly limits: Limits,
    private readonly starts: StartLimits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Sends a link to a user who forgot their password, if the address has an account with a local one; reveals nothing
   * about it, not even by its time. `caller` is the key of the rate limit.
   */
  async request(email: string, caller: string, origin?: LinkOrigin): Promise<void> {
    const problem = emailProblem(email);
    if (problem) throw Problem.invalid([{ field: 'email', messages: [problem] }]);
    await Promise.all([this.sendReset(email.trim(), caller, origin), sleep(answerAfterMs)]);
  }

  /** The user whom the link was sent to; does not use it up. Throws when it cannot be used. */
  async holder(purpose: LinkPurpose, { userId, token, caller }: Link): Promise<User> {
    // The key has a fixed length, whatever was sent.
    const account = sha256(userId);
    await this.limits.check(guessesPerAddress, caller);
    await this.limits.check(guessesPerAccount, account);
    const user = await this.users.findById(userId);
    if (!user || !(await this.links.isOpen(user.id, purpose, linkHash(purpose, token)))) {
      await this.limits.takePoint(guessesPerAddress, caller);
      await this.limits.takePoint(guessesPerAccount, account);
      await this.audit.recordRefusal({ type: recordedAs[purpose], subject: user?.id });
      throw linkEnded();
    }
    return user;
  }

  /** The holder of a link as other modules see them, with the app's request during which the link was requested. */
  async check(purpose: LinkPurpose, link: Link): Promise<LinkHolder> {
    const { id, email, fullName, userType } = await this.holder(purpose, link);
    return { accountId: id, email: email ?? '', fullName, userType, origin: await this.links.originOf(id, purpose) };
  }

  /** Checks link and password; changes nothing. */
  async prepare(purpose: LinkPurpose, { password, ...link }: Choice): Promise<ChosenPassword> {
    const user = await this.holder(purpose, link);
    const choice = { field: 'password', password, isReplacement: purpose === 'password-reset' } as const;
    return { ...(await this.newPasswords.prepare(user, choice)), purpose, link };
  }

  /**
   * Uses the link up and stores the password. In place of one before, it ends everything that was begun with that one.
   * `entitle` runs in the transaction, with the account locked, and throws where the link alone is not enough. Returns
   * the account's address.
   */
  async store({ purpose, link, ...prepared }: ChosenPassword, entitle: () => Promise<void>): Promise<string> {
    const redeem = () => this.redeem(purpose, link, prepared.user.id, entitle);
    await this.newPasswords.store(prepared, { redeem, ended: linkEnded });
    return prepared.user.email ?? '';
  }

  /**
   * Uses the link up for a passkey, which `add` stores in the same transaction, in place of a password; one that the
   * account has is given up. Otherwise as {@link store}.
   */
  async storePasskey(
    purpose: LinkPurpose,
    link: Link,
    { entitle, add }: { entitle: () => Promise<void>; add: () => Promise<void> },
  ): Promise<void> {
    const redeem = async ({ id }: { id: string }) => {
      const redeemed = await this.redeem(purpose, link, id, entitle);
      if (redeemed) await add();
      return redeemed;
    };
    await this.newPasswords.giveUp(link.userId, { redeem, ended: linkEnded });
  }

  private async sendReset(email: string, caller: string, origin: LinkOrigin | undefined): Promise<void> {
    if (!(await this.mayRequest(email, caller))) return;
    await this.database.transaction(async () => {
      const found = await this.users.findByEmail(email);
      const user = found && (await this.users.findForChange(found.id));
      if (!user || user.isExternal) return;
      await this.mailer.send('password-reset', user, origin);
      await this.audit.record({ type: 'password.reset-requested', outcome: 'success', subject: user.id });
    });
  }

  /**
   * Counts one request; returns false when the limit is exhausted, which the caller must not be told. All users of a
   * hospital may come from one address; a client that asks there for many accounts gets a few mails for each.
   */
  private async mayRequest(email: string, caller: string): Promise<boolean> {
    if ((await this.starts.secondsToWait('forgotten-password', caller)) !== undefined) return false;
    try {
      await this.limits.takePoint(requestsPerAccount, sha256(addressKey(email)));
      return true;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'throttled') return false;
      throw error;
    }
  }

  /**
   * In the transaction that stores what the link is for. Returns undefined, before anything else, if the link has
   * ended.
   */
  private async redeem(
    purpose: LinkPurpose,
    { userId, token }: Link,
    id: string,
    entitle: () => Promise<void>,
  ): Promise<Redeemed | undefined> {
    const used = await this.links.use(userId, purpose, linkHash(purpose, token));
    if (!used) return undefined;
    await entitle();
    if (purpose === 'password-reset') await this.revocations.revokeAccount(id, 'ended-by-password-reset');
    await this.audit.record({ type: recordedAs[purpose], outcome: 'success', userId: id, subject: id });
    return { provesAddress: !used.handedOver };
  }
}

export function linkEnded(): Problem {
  return new Problem('invalid', message('link-ended'));
}
