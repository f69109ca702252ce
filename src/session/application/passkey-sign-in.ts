import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { SignInResult } from '../../contract/session.js';
import { FhirAvailabilityCheck } from '../../launch-context/application/fhir-availability-check.js';
import { assertComplete, SignIns } from '../../oidc/application/sign-ins.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { PasskeyCheck } from './passkey-check.js';

export interface PasskeySignInFacts {
  returnUrl?: string | null;
  rememberMe?: boolean;
}

/** Signing in with a passkey and without a name. It is two factors, so that no second step follows. */
@Injectable()
export class PasskeySignIn {
  constructor(
    private readonly check: PasskeyCheck,
    private readonly accounts: UserDirectory,
    private readonly neededRecords: FhirAvailabilityCheck,
    private readonly signIns: SignIns,
  ) {}

  options(browser: Browser) {
    return this.check.options(browser);
  }

  async signIn(browser: Browser, answer: object, facts: PasskeySignInFacts): Promise<SignInResult> {
    const { returnUrl, rememberMe: remembered = false } = facts;
    const keepPage = await this.check.prove(browser, answer, returnUrl, async ({ passkey, methods: amr }) => {
      const account = await this.accounts.find(passkey.accountId);
      if (!account) throw new Problem('not-found', message('current-user-gone'));
      assertComplete(account);
      if (returnUrl) await this.neededRecords.assertAvailable(account, { returnUrl, browser });
      return this.signIns.complete(browser, { account, remembered, amr, returnUrl, passkeyId: passkey.id });
    });
    return keepPage === undefined ? {} : { keepPage };
  }
}
