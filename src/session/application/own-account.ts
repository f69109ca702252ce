import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ChangePasswordRequest, SessionList } from '../../contract/users/account.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { AccountSessions } from '../../oidc-store/infrastructure/account-sessions.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from '../../two-factor/application/two-factor-change-guard.js';
import { OwnDetails } from '../../users/application/own-details.js';

/** A user's own account: its name, its password and its sessions. */
@Injectable()
export class OwnAccount {
  constructor(
    private readonly details: OwnDetails,
    private readonly guard: TwoFactorChangeGuard,
    private readonly passkeys: PasskeyProofs,
    private readonly accountSessions: AccountSessions,
    private readonly browserSessions: BrowserSessions,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  rename(id: string, fullName: string): Promise<void> {
    return this.details.rename(id, fullName);
  }

  async changePassword(
    browser: Browser,
    id: string,
    { currentPassword, newPassword }: ChangePasswordRequest,
  ): Promise<void> {
    await this.details.changePassword(
      id,
      { currentPassword, newPassword },
      {
        // An account without a password: a passkey takes its place.
        confirm: async () => this.guard.assertRecent(await this.guard.ownerOf(browser, undefined), undefined),
        also: async () => this.keepOnly(browser, await this.guard.ownerOf(browser, undefined)),
      },
    );
  }

  /** Takes a passkey that was used a moment ago: one that no longer works must not be the only sign-in method. */
  async removePassword(browser: Browser): Promise<void> {
    const owner = await this.guard.ownerOf(browser, undefined);
    const { id } = owner.account;
    if (owner.session.acr !== 'phr' || !this.guard.isRecent(owner)) {
      throw Problem.invalid([{ field: 'currentPassword', messages: [message('confirm-by-passkey')] }]);
    }
    await this.details.removePassword(id, async () => {
      // With the account locked: of this and the removal of the last passkey one comes first.
      if (!(await this.passkeys.has(id))) throw new Problem('conflict', message('password-last-way-in'));
      await this.keepOnly(browser, owner);
    });
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

  /** This browser stays signed in, under another session id; all others do not (security E-02, E-10). */
  private async keepOnly(browser: Browser, { session }: TwoFactorOwner): Promise<void> {
    await this.browserSessions.endOthers(session.accountId, session.uid, 'ended-by-password-change');
    await this.browserSessions.renew(browser);
  }

  private async uidOf(browser: Browser): Promise<string> {
    const session = await this.browserSessions.describe(browser);
    if (!session) throw new Error('a guarded route is called without a session');
    return session.uid;
  }
}
