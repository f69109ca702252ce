import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Browser } from '../../platform/request/browser.js';
import { AuthenticatorSetup } from './authenticator-setup.js';
import { StepUp } from './step-up.js';
import { stepOf } from './totp.js';
import { TwoFactorChangeGuard } from './two-factor-change-guard.js';
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
    private readonly setup: AuthenticatorSetup,
    private readonly stepUp: StepUp,
    private readonly database: Database,
  ) {}

  /** Returns the recovery codes. */
  async enable(browser: Browser, code: string, { currentPassword, returnUrl }: Confirmation): Promise<string[]> {
    const owner = await this.guard.ownerOf(browser, returnUrl);
    const { account, session, waiting } = owner;
    if (await this.factors.isActive(account.id)) throw alreadyActive();
    await this.guard.assertRecent(owner, currentPassword);
    const key = this.setup.keyFor(owner);
    const step = stepOf(code, key, new Date());
    if (step === undefined) throw wrongCode('authenticator');
    return this.database.transaction(async () => {
      const recoveryCodes = await this.factors.activate(account.id, key, step);
      await this.stepUp.endOthers(session);
      await this.stepUp.recordFactor(browser, { session, returnUrl: waiting }, ['otp', 'mfa']);
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
}
