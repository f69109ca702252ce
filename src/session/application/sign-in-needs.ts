import { Injectable } from '@nestjs/common';
import { type Acr, isAcrAtLeast } from '../../contract/rules/acr.js';
import type { SignInLack } from '../../contract/session.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { Config } from '../../platform/config/config.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import type { UserFacts } from '../../users/application/user-directory.js';

const needed: Record<SignInLack, Acr> = { 'two-factor': 'aal2', passkey: 'phr' };

/**
 * The sign-in that administrators need (`account.adminsNeed`); looked up at each call, so that it holds for sessions
 * that began before.
 */
@Injectable()
export class SignInNeeds {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly passkeys: PasskeyProofs,
    private readonly factors: TwoFactorProofs,
    private readonly config: Config,
  ) {}

  /** Undefined for a sign-in that is enough. */
  async lackOf(browser: Browser, { userType }: Pick<UserFacts, 'userType'>): Promise<SignInLack | undefined> {
    const { adminsNeed } = this.config.account;
    if (userType !== 'Admin' || adminsNeed === 'password') return undefined;
    const session = await this.sessions.describe(browser);
    return isAcrAtLeast(session?.acr, needed[adminsNeed]) ? undefined : adminsNeed;
  }

  /** True if the account has what its sign-in lacks, and so has to use it. */
  async hasWhatIsLacking(accountId: string, lack: SignInLack): Promise<boolean> {
    return (await this.passkeys.has(accountId)) || (lack === 'two-factor' && (await this.factors.isActive(accountId)));
  }
}
