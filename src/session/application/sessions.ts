import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { type Acr, isAcrAtLeast } from '../../contract/rules/acr.js';
import type { CurrentUser, SignInLack, TimeLeft } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { PatientNews } from '../../representation/application/upkeep/patient-news.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';

const needed: Record<SignInLack, Acr> = { 'two-factor': 'aal2', passkey: 'phr' };

/** The signed-in user of a browser, and what their sign-in lacks. */
@Injectable()
export class Sessions {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly accounts: UserDirectory,
    private readonly factors: TwoFactorProofs,
    private readonly passkeys: PasskeyProofs,
    private readonly news: PatientNews,
    private readonly config: Config,
  ) {}

  /** Throws `unauthenticated` without a signed-in user. */
  async current(browser: Browser): Promise<CurrentUser> {
    const account = await this.account(browser, true);
    const { id, fullName, email, isExternal, hasPassword, userType, claims } = account;
    const is2faEnabled = await this.factors.isActive(id);
    const lacks = await this.lackOf(browser, account);
    return {
      ...{ id, fullName, email, isExternal, is2faEnabled, userType, claims: [...claims] },
      ...(!isExternal && !hasPassword && { hasNoPassword: true }),
      ...(lacks && { lacks }),
      ...((await this.news.areDue(account)) && { hasNews: true }),
    };
  }

  /** Throws `unauthenticated` without a session. */
  async timeLeft(browser: Browser): Promise<TimeLeft> {
    const left = await this.browserSessions.timeLeft(browser);
    if (!left) throw notSignedIn();
    return left;
  }

  /** `extend` means that a user, not a timer, uses the session. Throws `unauthenticated` without a signed-in user. */
  async account(browser: Browser, extend: boolean): Promise<UserFacts> {
    const id = await this.browserSessions.current(browser, extend);
    const account = id === undefined ? undefined : await this.accounts.findById(id);
    if (!account) throw notSignedIn();
    return account;
  }

  /**
   * The factor that the sign-in of an administrator lacks (`account.adminsNeed`); undefined if it is enough. Looked up
   * at each call, so that it holds for sessions that began before.
   */
  async lackOf(browser: Browser, { userType }: Pick<UserFacts, 'userType'>): Promise<SignInLack | undefined> {
    const { adminsNeed } = this.config.account;
    if (userType !== 'Admin' || adminsNeed === 'password') return undefined;
    const session = await this.browserSessions.describe(browser);
    return isAcrAtLeast(session?.acr, needed[adminsNeed]) ? undefined : adminsNeed;
  }

  /** True if the account has what its sign-in lacks, and so has to use it. */
  async hasWhatIsLacking(accountId: string, lack: SignInLack): Promise<boolean> {
    return (await this.passkeys.has(accountId)) || (lack === 'two-factor' && (await this.factors.isActive(accountId)));
  }
}

function notSignedIn(): Problem {
  return new Problem('unauthenticated', message('sign-in-needed'));
}
