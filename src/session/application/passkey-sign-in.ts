import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { SignInResult } from '../../contract/session.js';
import { FhirAvailabilityCheck } from '../../launch-context/application/fhir-availability-check.js';
import { assertComplete, SignIns } from '../../oidc/application/sign-ins.js';
import { PasskeyProofs, type ProvenPasskey } from '../../passkeys/application/passkey-proofs.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { SignInOptions } from './sign-in-options.js';

/** Refused passkeys from one address. No account is counted: its key cannot be guessed. */
const perAddress: Limit = { name: 'passkey-address', points: 50, seconds: 3600 };

const ceremony = { purpose: 'sign-in' } as const;

export interface PasskeySignInFacts {
  returnUrl?: string | null;
  rememberMe?: boolean;
}

/** Signing in with a passkey and without a name. It is two factors, so that no second step follows. */
@Injectable()
export class PasskeySignIn {
  constructor(
    private readonly methods: SignInOptions,
    private readonly proofs: PasskeyProofs,
    private readonly accounts: UserDirectory,
    private readonly neededRecords: FhirAvailabilityCheck,
    private readonly signIns: SignIns,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /** The same for each caller: no account is known yet. */
  options(browser: Browser) {
    return this.proofs.options(browser, ceremony);
  }

  async signIn(browser: Browser, answer: object, facts: PasskeySignInFacts): Promise<SignInResult> {
    const { returnUrl, rememberMe: remembered = false } = facts;
    const keepPage = await this.prove(browser, answer, returnUrl, async ({ passkey, methods: amr }) => {
      const account = await this.accounts.findById(passkey.accountId);
      if (!account) throw new Problem('not-found', message('current-user-gone'));
      assertComplete(account);
      if (returnUrl) await this.neededRecords.assertAvailable(account, { returnUrl, browser });
      return this.signIns.complete(browser, { account, remembered, amr, returnUrl, passkeyId: passkey.id });
    });
    return keepPage === undefined ? {} : { keepPage };
  }

  /** Runs `then` in the transaction that uses up the challenge. */
  private async prove<T>(
    browser: Browser,
    answer: object,
    returnUrl: string | null | undefined,
    then: (proven: ProvenPasskey) => Promise<T>,
  ): Promise<T> {
    if (!(await this.methods.forRequest({ browser, returnUrl })).enableLocalLogin) {
      note('sign-in-method-closed', { method: 'a password of this portal' });
      throw new Problem('forbidden', message('login-not-local'));
    }
    await this.limits.takePoint(perAddress, browser.addressKey);
    const isRefused = (error: unknown) => error instanceof Problem && error.kind === 'invalid';
    try {
      const result = await this.proofs.prove(browser, ceremony, answer, then);
      await this.limits.giveBack(perAddress, browser.addressKey);
      return result;
    } catch (error) {
      if (isRefused(error)) {
        note('passkey-refused');
        await this.audit.recordRefusal({ type: 'login', detail: { by: 'passkey' } });
      } else {
        // The passkey was right, or was not looked at.
        await this.limits.giveBack(perAddress, browser.addressKey);
      }
      throw error;
    }
  }
}
