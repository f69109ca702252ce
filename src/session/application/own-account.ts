import { Injectable } from '@nestjs/common';
import type { SessionList } from '../../contract/users/account.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { AccountSessions } from '../../oidc-store/infrastructure/account-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { OwnDetails } from '../../users/application/own-details.js';

/** A user's view of their own account, its changes, and their sessions. */
@Injectable()
export class OwnAccount {
  constructor(
    private readonly details: OwnDetails,
    private readonly accountSessions: AccountSessions,
    private readonly browserSessions: BrowserSessions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  rename(id: string, fullName: string): Promise<void> {
    return this.details.rename(id, fullName);
  }

  async sessions(browser: Browser, id: string): Promise<SessionList> {
    const current = await this.uidOf(browser);
    const sessions = await this.accountSessions.list(id);
    return {
      sessions: sessions.map(({ uid, signedInAt, lastUsedAt, browser }) => ({
        browser,
        signedIn: signedInAt.toISOString(),
        lastUsed: lastUsedAt.toISOString(),
        current: uid === current,
      })),
    };
  }

  async endOtherSessions(browser: Browser, id: string): Promise<void> {
    const current = await this.uidOf(browser);
    await this.database.transaction(async () => {
      await this.browserSessions.endOthers(id, current, 'ended-with-other-sessions');
      await this.audit.record({ type: 'sessions.ended', outcome: 'success', subject: id });
    });
  }

  private async uidOf(browser: Browser): Promise<string> {
    const session = await this.browserSessions.describe(browser);
    if (!session) throw new Error('a guarded route is called without a session');
    return session.uid;
  }
}
