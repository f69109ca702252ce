import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { CurrentUser, TimeLeft } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import type { Browser } from '../../platform/browser.js';
import { Problem } from '../../platform/errors.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';

/** The signed-in user of a browser. Each throws `unauthenticated` when there is none. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly secondFactors: TwoFactorProofs,
  ) {}

  async current(browser: Browser): Promise<CurrentUser> {
    const { id, fullName, email, isExternal, userType, claims } = await this.account(browser, true);
    const is2faEnabled = await this.secondFactors.isActive(id);
    return { id, fullName, email, isExternal, is2faEnabled, userType, claims: [...claims] };
  }

  async timeLeft(browser: Browser): Promise<TimeLeft> {
    const left = await this.browserSessions.timeLeft(browser);
    if (!left) throw notSignedIn();
    return left;
  }

  /** `extend` means that a user, not a timer, uses the session. */
  async account(browser: Browser, extend: boolean): Promise<UserFacts> {
    const id = await this.browserSessions.current(browser, extend);
    const account = id === undefined ? undefined : await this.accounts.find(id);
    if (!account) throw notSignedIn();
    return account;
  }
}

function notSignedIn(): Problem {
  return new Problem('unauthenticated', message('sign-in-needed'));
}
