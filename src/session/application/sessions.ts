import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { CurrentUser, TimeLeft } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { SignInNeeds } from './sign-in-needs.js';

/** The signed-in user of a browser. Each throws `unauthenticated` when there is none. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly secondFactors: TwoFactorProofs,
    private readonly needs: SignInNeeds,
  ) {}

  async current(browser: Browser): Promise<CurrentUser> {
    const account = await this.account(browser, true);
    const { id, fullName, email, isExternal, hasPassword, userType, claims } = account;
    const is2faEnabled = await this.secondFactors.isActive(id);
    const lacks = await this.needs.lackOf(browser, account);
    return {
      ...{ id, fullName, email, isExternal, is2faEnabled, userType, claims: [...claims] },
      ...(!isExternal && !hasPassword && { hasNoPassword: true }),
      ...(lacks && { lacks }),
    };
  }

  async timeLeft(browser: Browser): Promise<TimeLeft> {
    const left = await this.browserSessions.timeLeft(browser);
    if (!left) throw notSignedIn();
    return left;
  }

  /** `extend` means that a user, not a timer, uses the session. */
  async account(browser: Browser, extend: boolean): Promise<UserFacts> {
    const id = await this.browserSessions.current(browser, extend);
    const account = id === undefined ? undefined : await this.accounts.findById(id);
    if (!account) throw notSignedIn();
    return account;
  }
}

function notSignedIn(): Problem {
  return new Problem('unauthenticated', message('sign-in-needed'));
}
