import { Injectable } from '@nestjs/common';
import type { ResetSecondFactorRequest, StepUpFacts } from '../../contract/users/helpdesk.js';
import { OwnerConfirmation } from '../../own-data/application/owner-confirmation.js';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { proofIn, TwoFactorProofs, wrongCode } from '../../two-factor/application/two-factor-proofs.js';
import { TwoFactorReset } from '../../two-factor/application/two-factor-reset.js';
import { SignInReadinesses } from '../../users/application/sign-in-readiness.js';

/**
 * Administrators reset the second factor and the passkeys of a user who has lost them. It takes their own second
 * factor, or their password: a session alone, which may be stolen, removes nothing. A service has neither, so these
 * calls are for users only.
 */
@Injectable()
export class SecondFactorReset {
  constructor(
    private readonly confirmation: OwnerConfirmation,
    private readonly readinesses: SignInReadinesses,
    private readonly factors: TwoFactorProofs,
    private readonly twoFactor: TwoFactorReset,
    private readonly passkeys: PasskeyRegistry,
    private readonly database: Database,
  ) {}

  async stepUp(browser: Browser, admin: SignedInUser): Promise<StepUpFacts> {
    const owner = await this.confirmation.ownerOf(browser);
    const hasFactor = await this.factors.isActive(admin.id);
    return {
      by: hasFactor ? 'code' : owner.account.isExternal ? 'provider' : 'password',
      provider: hasFactor ? null : this.confirmation.providerOf(owner),
      isConfirmed: this.confirmation.isConfirmed(owner),
    };
  }

  /** A second factor that another administrator has reset already is not a failure. */
  async reset(browser: Browser, admin: SignedInUser, id: string, form: ResetSecondFactorRequest): Promise<void> {
    const owner = await this.confirmation.ownerOf(browser);
    await this.readinesses.forUser(id);
    if (await this.factors.isActive(admin.id)) {
      const proof = proofIn(form);
      const proven = await this.factors.prove(admin.id, proof, async () => ({ done: await this.remove(id) }));
      if (!proven) throw wrongCode(proof.kind);
      return;
    }
    await this.confirmation.assertPresent(owner, form.currentPassword, 'two-factor.reset');
    await this.database.repeatableTransaction(() => this.remove(id));
  }

  private remove(id: string): Promise<boolean> {
    return this.twoFactor.reset(id, () => this.passkeys.removeAll(id));
  }
}
