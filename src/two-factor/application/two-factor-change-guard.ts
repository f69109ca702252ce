import { Injectable } from '@nestjs/common';
import { type Message, message } from '../../contract/messages/message.js';
import { BrowserSessions, type SessionFacts } from '../../oidc/application/browser-sessions.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { StepUp, type WeakSession } from './step-up.js';

/** The user who is about to change their own second factor. */
export interface TwoFactorOwner {
  account: UserFacts;
  session: SessionFacts;
  /** The app's request that waits for the second factor, if there is one. */
  waiting: WeakSession | undefined;
}

/** A sign-in, or the proof of a passkey after it, that is this young needs no password again (security G-08). */
const recentSeconds = 300;
const wrongPasswords: Limit = { name: 'two-factor-password', points: 5, seconds: 300 };

/** Only a user signed in with a password who has recently re-authenticated may change two-factor settings. */
@Injectable()
export class TwoFactorChangeGuard {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly stepUp: StepUp,
    private readonly limits: Limits,
  ) {}

  /**
   * Users of an external provider have their second factor there (security G-09), unless an app's request waits for
   * one that the other provider did not prove (K-15).
   */
  async ownerOf(browser: Browser, returnUrl: string | null | undefined): Promise<TwoFactorOwner> {
    const session = await this.sessions.describe(browser);
    const account = session && (await this.accounts.findById(session.accountId));
    if (!session || !account) throw new Problem('unauthenticated', message('sign-in-needed'));
    const waiting = await this.stepUp.sessionOf(browser, returnUrl);
    if (account.isExternal && waiting === undefined) {
      throw new Problem('forbidden', message('two-factor-external'));
    }
    return { account, session, waiting };
  }

  isRecent({ session }: TwoFactorOwner): boolean {
    return Date.now() / 1000 - Math.max(session.authenticatedAt, session.confirmedAt ?? 0) <= recentSeconds;
  }

  /**
   * Refuses at the field and not as `unauthenticated`: the page asks for the password, and the user stays signed
   * in.
   */
  async assertRecent(owner: TwoFactorOwner, password: string | null | undefined): Promise<void> {
    if (this.isRecent(owner)) return;
    const { id, email, isExternal, hasPassword } = owner.account;
    if (isExternal || email === null) throw new Problem('forbidden', message('sign-in-repeat'));
    if (!hasPassword) throw passwordProblem(message('confirm-by-passkey'));
    if (!password) throw passwordProblem(message('current-password-needed'));
    await this.limits.takePoint(wrongPasswords, id);
    if ((await this.accounts.authenticate(email, password))?.id !== id)
      throw passwordProblem(message('current-password-wrong'));
    await this.limits.forget(wrongPasswords, id);
  }
}

function passwordProblem(reason: Message): Problem {
  return Problem.invalid([{ field: 'currentPassword', messages: [reason] }]);
}
