import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { ChangePasswordRequest } from '../../contract/users/account.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from '../../two-factor/application/two-factor-change-guard.js';
import { OwnDetails } from '../../users/application/own-details.js';

/** The signed-in user changes their password, removes it, or chooses one again. */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly details: OwnDetails,
    private readonly passkeys: PasskeyProofs,
    private readonly sessions: BrowserSessions,
  ) {}

  async change(browser: Browser, id: string, { currentPassword, newPassword }: ChangePasswordRequest): Promise<void> {
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
  async remove(browser: Browser): Promise<void> {
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

  /** This browser stays signed in, under another session id; all others do not (security E-02, E-10). */
  private async keepOnly(browser: Browser, { session }: TwoFactorOwner): Promise<void> {
    await this.sessions.endOthers(session.accountId, session.uid, 'ended-by-password-change');
    await this.sessions.renew(browser);
  }
}
