import { Injectable } from '@nestjs/common';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { SignInLimits } from '../../session/application/sign-in-limits.js';
import { TwoFactorProofs } from '../../two-factor/application/two-factor-proofs.js';
import { SignInReadinesses } from '../../users/application/sign-in-readiness.js';
import type { UserFacts } from '../../users/application/user-directory.js';

/** Each gives the guesses back that the limits permit, so a stolen session of an administrator must not repeat it at will. */
const unlocks: Limit = { name: 'unlock', points: 10, seconds: 3600 };
const sessionId = /^[\w-]{1,64}$/;

/** The counts of failures that lock a user out. */
@Injectable()
export class UserLocks {
  constructor(
    private readonly passwords: SignInLimits,
    private readonly codes: TwoFactorProofs,
    private readonly limits: Limits,
  ) {}

  /** Resets them in the caller's transaction; returns those that there were. */
  async release({ id, email, isExternal }: UserFacts): Promise<('password' | 'code')[]> {
    const isPassword = email !== null && !isExternal && (await this.passwords.unlock(email));
    const isCode = await this.codes.unlock(id);
    if (isPassword || isCode) await this.limits.takePoint(unlocks, id);
    return [...(isPassword ? ['password' as const] : []), ...(isCode ? ['code' as const] : [])];
  }
}

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
    await this.end(id, () => this.sessions.endAll(id));
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
