import { Injectable } from '@nestjs/common';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorSignIn } from '../../two-factor/application/two-factor-sign-in.js';
import { ProviderLogout } from './external/provider-logout.js';

/** Ends the session of a browser, and a sign-in that is pending in it. */
@Injectable()
export class SignOut {
  constructor(
    private readonly browserSessions: BrowserSessions,
    private readonly secondStep: TwoFactorSignIn,
    private readonly providerLogout: ProviderLogout,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Returns the next address of the browser: the provider at which the user signed in, if they sign out there as well;
   * else the page.
   */
  async signOut(browser: Browser, page = '/login?loggedOut=true'): Promise<string> {
    const ended = await this.database.transaction(async () => {
      const session = await this.browserSessions.signOut(browser);
      if (session) await this.audit.record({ type: 'logout', outcome: 'success', userId: session.accountId });
      await this.secondStep.abandon(browser);
      return session;
    });
    const elsewhere = ended?.elsewhere && (await this.providerLogout.addressFor(ended.elsewhere));
    return elsewhere ?? page;
  }
}
