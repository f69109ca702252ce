import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { identifyLaunch, note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { BrowserSessions, type ExternalSession } from './browser-sessions.js';
import { Interactions } from './interactions.js';

export interface SignIn {
  account: UserFacts;
  remembered: boolean;
  /** Authentication methods of the sign-in; RFC 8176 names. */
  amr: string[];
  /** The other provider of the sign-in, if any. */
  elsewhere?: ExternalSession | undefined;
  returnUrl?: string | null | undefined;
  /** True if the other provider has asked the user again who they are, for this sign-in. */
  confirmed?: boolean;
  passkeyId?: string | undefined;
}

/** The end of every sign-in method: starts a session, and continues the client's request that required it. */
@Injectable()
export class SignIns {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly interactions: Interactions,
    private readonly accounts: UserDirectory,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Throws `forbidden` when the account is not ready for signing in. For an account whose user has requested its
   * deletion no session begins: returns the page on which they can keep it.
   */
  async complete(browser: Browser, signIn: SignIn): Promise<string | undefined> {
    const { account, remembered, amr, elsewhere, returnUrl, confirmed = false, passkeyId } = signIn;
    assertComplete(account);
    const { id: accountId, userType } = account;
    const facts = {
      accountId,
      userType,
      remembered: remembered && userType !== 'Admin',
      amr,
      elsewhere,
      confirmed,
      passkeyId,
    };
    return this.database.transaction(async () => {
      if (!(await this.accounts.hasSecurityStamp(accountId, account.securityStamp))) {
        throw new Problem('unauthenticated', message('sign-in-again'));
      }
      const keepPage = await this.accounts.keepPage(accountId);
      if (keepPage !== undefined) {
        const detail = { reason: 'deletion-requested' };
        await this.audit.record({ type: 'login', outcome: 'failure', userId: accountId, detail });
        return keepPage;
      }
      await this.accounts.endRecovery(accountId);
      const sessionUid = await this.sessions.signIn(browser, facts);
      // A returnUrl without a request of this browser is not a reason to refuse the user; it is just not followed.
      if (returnUrl && (await this.interactions.findOpen({ returnUrl, browser }))) {
        await this.interactions.signedIn({ returnUrl, browser }, { ...facts, sessionUid });
      }
      this.database.afterCommit(() => noteSignIn(accountId, amr, elsewhere?.identityProvider));
      const detail = { amr, identityProvider: elsewhere?.identityProvider };
      await this.audit.record({ type: 'login', outcome: 'success', userId: accountId, detail });
      return undefined;
    });
  }
}

function noteSignIn(accountId: string, amr: string[], provider: string | undefined): void {
  identifyLaunch({ accountId });
  note('signed-in', { how: provider === undefined ? ownMethodOf(amr) : `the provider ${provider}` });
  if (amr.includes('mfa')) note('second-factor-proven');
}

function ownMethodOf(amr: string[]): string {
  return amr.includes('pwd') ? 'a password of this portal' : 'a passkey';
}

/** An account that is Incomplete may not sign in by any method (`spec §6`). */
export function assertComplete(account: UserFacts): void {
  if (isComplete(account)) return;
  note('account-incomplete');
  throw new Problem('forbidden', message('account-incomplete'));
}

export function isComplete({ userType }: UserFacts): boolean {
  return userType !== 'Incomplete';
}
