import { Injectable } from '@nestjs/common';
import type { TwoFactorSetup } from '../../contract/users/two-factor.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { StepUp, type WeakSession } from './step-up.js';
import { authenticatorUri, base32, keyBytes, stepOf } from './totp.js';
import { TwoFactorChangeGuard, type TwoFactorOwner } from './two-factor-change-guard.js';
import { alreadyActive, type Proof, TwoFactorProofs, wrongCode } from './two-factor-proofs.js';

export interface Confirmation {
  currentPassword?: string | null;
  returnUrl?: string | null;
}

/**
 * Users switch their second factor on and off. Either needs a recent sign-in or the password once more, besides the
 * code; either ends the account's other sessions in the same transaction.
 */
@Injectable()
export class TwoFactorSettings {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly factors: TwoFactorProofs,
    private readonly stepUp: StepUp,
    private readonly secrets: Secrets,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /**
   * Returns the key for setting up an authenticator. It stays the same until the user signs in again or changes the
   * password.
   */
  async setUp(browser: Browser, returnUrl: string | undefined): Promise<TwoFactorSetup> {
    const owner = await this.guard.ownerOf(browser, returnUrl);
    if (await this.factors.isActive(owner.account.id)) throw alreadyActive();
    if (owner.waiting) noteMissing(owner.waiting);
    const sharedKey = this.keyFor(owner);
    const issuer = this.config.branding.organizationTitle ?? 'Gatehouse';
    return {
      authenticatorUri: authenticatorUri(sharedKey, issuer, owner.account.email ?? owner.account.fullName),
      sharedKey,
      currentPasswordRequired: !this.guard.isRecent(owner),
    };
  }

  /** Returns the recovery codes. */
  async enable(browser: Browser, code: string, { currentPassword, returnUrl }: Confirmation): Promise<string[]> {
    const owner = await this.guard.ownerOf(browser, returnUrl);
    const { account, session, waiting } = owner;
    if (await this.factors.isActive(account.id)) throw alreadyActive();
    await this.guard.assertRecent(owner, currentPassword);
    const key = this.keyFor(owner);
    const step = stepOf(code, key, new Date());
    if (step === undefined) throw wrongCode('authenticator');
    return this.database.transaction(async () => {
      const recoveryCodes = await this.factors.activate(account.id, key, step);
      await this.stepUp.endOthers(session);
      await this.stepUp.recordFactor(browser, { session, returnUrl: waiting?.returnUrl }, ['otp', 'mfa']);
      return recoveryCodes;
    });
  }

  /** A recovery code that does it is used up. */
  async disable(
    browser: Browser,
    proof: Proof,
    { currentPassword }: Pick<Confirmation, 'currentPassword'>,
  ): Promise<void> {
    const owner = await this.guard.ownerOf(browser, undefined);
    const { account, session } = owner;
    await this.guard.assertRecent(owner, currentPassword);
    const proven = await this.factors.prove(account.id, proof, async (accepted) => {
      await this.factors.deactivate(account.id);
      await this.stepUp.endOthers(session);
      await this.stepUp.removeAuthenticator(browser, session);
      return accepted;
    });
    if (!proven) throw wrongCode(proof.kind);
  }

  /**
   * Derived, so that showing the QR code stores nothing. Bound to this sign-in: one who saw it in another
   * session, or before the password was changed, does not know the key that is activated here.
   */
  private keyFor({ account, session }: TwoFactorOwner): string {
    const { id, securityStamp } = account;
    const bound = JSON.stringify([id, securityStamp, session.uid, session.authenticatedAt]);
    const derived = Buffer.from(this.secrets.hmac('totp-setup', bound), 'base64url');
    return base32(derived.subarray(0, keyBytes));
  }
}

/** An app's request waits for a second factor that the account does not have. */
function noteMissing({ isDemandedByClient }: WeakSession): void {
  const setUp = 'Have the user set up an authenticator on the page.';
  if (isDemandedByClient) {
    note('second-factor-none', {
      demand: 'A setting of the client demands it.',
      remedy: `${setUp} If the client can do without, turn off Require two-factor authentication.`,
      field: 'require2fa',
    });
  } else {
    note('second-factor-none', {
      demand: 'The request demands it (acr).',
      remedy: `${setUp} An app that can do without asks for no acr.`,
      field: '',
    });
  }
}
