import { Injectable } from '@nestjs/common';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { SignInReadinesses } from '../../users/application/sign-in-readiness.js';
import { UserLocks } from './user-locks.js';

const sessionId = /^[\w-]{1,64}$/;

/**
 * The help that an administrator gives to a user without proving again who they are. Done a second time it does
 * nothing.
 */
@Injectable()
export class UserRelease {
  constructor(
    private readonly readinesses: SignInReadinesses,
    private readonly locks: UserLocks,
    private readonly sessions: BrowserSessions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async unlock(id: string): Promise<void> {
    const { account } = await this.readinesses.forUser(id);
    await this.database.repeatableTransaction(async () => {
      const released = await this.locks.release(account);
      if (released.length === 0) return;
      await this.audit.record({ type: 'user.unlocked', outcome: 'success', subject: id, detail: { released } });
    });
  }

  async signOutEverywhere(id: string): Promise<void> {
    await this.end(id, () => this.sessions.endAll(id, 'ended-with-session-by-administrator'));
  }

  async signOut(id: string, session: string): Promise<void> {
    await this.end(id, async () => Number(sessionId.test(session) && (await this.sessions.endOne(id, session))));
  }

  private async end(id: string, end: () => Promise<number>): Promise<void> {
    await this.readinesses.forUser(id);
    await this.database.repeatableTransaction(async () => {
      const ended = await end();
      if (ended === 0) return;
      await this.audit.record({ type: 'sessions.ended', outcome: 'success', subject: id, detail: { sessions: ended } });
    });
  }
}
