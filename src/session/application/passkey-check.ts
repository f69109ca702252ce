import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { PasskeyProofs, type ProvenPasskey } from '../../passkeys/application/passkey-proofs.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { SignInOptions } from './sign-in-options.js';

/** Refused passkeys from one address. No account is counted: its key cannot be guessed. */
const perAddress: Limit = { name: 'passkey-address', points: 50, seconds: 3600 };

const ceremony = { purpose: 'sign-in' } as const;

/** The first step of signing in with a passkey: whether it is right. */
@Injectable()
export class PasskeyCheck {
  constructor(
    private readonly methods: SignInOptions,
    private readonly proofs: PasskeyProofs,
    private readonly limits: Limits,
    private readonly audit: Audit,
  ) {}

  /** The same for each caller: no account is known yet. */
  options(browser: Browser) {
    return this.proofs.options(browser, ceremony);
  }

  /** Runs `then` in the transaction that uses up the challenge. */
  async prove<T>(
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
