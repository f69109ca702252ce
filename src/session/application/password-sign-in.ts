import { Injectable } from '@nestjs/common';
import { addressKey } from '../../contract/rules/users/email.js';
import type { LoginResult } from '../../contract/session.js';
import { FhirAvailabilityCheck } from '../../launch-context/application/fhir-availability-check.js';
import { assertComplete, SignIns } from '../../oidc/application/sign-ins.js';
import { PasskeyProofs } from '../../passkeys/application/passkey-proofs.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorSignIn } from '../../two-factor/application/two-factor-sign-in.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import { SignInLimits } from './sign-in-limits.js';

export interface PasswordSignInRequest {
  username: string;
  returnUrl?: string | null;
  rememberLogin?: boolean;
}

/** Signing in to the portal once the password was right. */
@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly limits: SignInLimits,
    private readonly neededRecords: FhirAvailabilityCheck,
    private readonly secondStep: TwoFactorSignIn,
    private readonly passkeys: PasskeyProofs,
    private readonly signIns: SignIns,
  ) {}

  /** Begins a session, or the second step of an account that has one. */
  async signIn(
    browser: Browser,
    account: UserFacts,
    { username, returnUrl, rememberLogin: remembered = false }: PasswordSignInRequest,
  ): Promise<LoginResult> {
    assertComplete(account);
    this.limits.rememberBrowser(browser, addressKey(username));
    if (returnUrl) await this.neededRecords.assertAvailable(account, { returnUrl, browser });
    if (await this.secondStep.beginIfNeeded(browser, account, remembered)) {
      return { is2faEnabled: true, ...((await this.passkeys.has(account.id)) && { hasPasskey: true }) };
    }
    const keepPage = await this.signIns.complete(browser, { account, remembered, amr: ['pwd'], returnUrl });
    return { is2faEnabled: false, ...(keepPage !== undefined && { keepPage }) };
  }
}
