import { Injectable } from '@nestjs/common';
import type { TwoFactorSetup } from '../../contract/users/two-factor.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import type { Browser } from '../../platform/request/browser.js';
import { authenticatorUri, base32, keyBytes } from './totp.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from './two-factor-change-guard.js';
import { alreadyActive, TwoFactorProofs } from './two-factor-proofs.js';

/** The key that a user is about to put into an authenticator. */
@Injectable()
export class AuthenticatorSetup {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly factors: TwoFactorProofs,
    private readonly secrets: Secrets,
    private readonly config: Config,
  ) {}

  /**
   * Returns the key for setting up an authenticator. It stays the same until the user signs in again or changes the
   * password.
   */
  async begin(browser: Browser, returnUrl: string | undefined): Promise<TwoFactorSetup> {
    const owner = await this.guard.ownerOf(browser, returnUrl);
    if (await this.factors.isActive(owner.account.id)) throw alreadyActive();
    const sharedKey = this.keyFor(owner);
    const issuer = this.config.branding.organizationTitle ?? 'Gatehouse';
    return {
      authenticatorUri: authenticatorUri(sharedKey, issuer, owner.account.email ?? owner.account.fullName),
      sharedKey,
      currentPasswordRequired: !this.guard.isRecent(owner),
    };
  }

  /**
   * Derived, so that showing the QR code stores nothing. Bound to this sign-in: a person who saw it in another
   * session, or before the password was changed, does not know the key that is activated here.
   */
  keyFor({ account, session }: TwoFactorOwner): string {
    const { id, securityStamp } = account;
    const bound = JSON.stringify([id, securityStamp, session.uid, session.authenticatedAt]);
    const derived = Buffer.from(this.secrets.hmac('totp-setup', bound), 'base64url');
    return base32(derived.subarray(0, keyBytes));
  }
}
