import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorEvents } from '../../two-factor/application/two-factor-events.js';
import type { SecondFactor } from '../../two-factor/application/two-factor-proofs.js';
import { TwoFactorSignIn, type Verification } from '../../two-factor/application/two-factor-sign-in.js';
import { refused } from './ceremonies.js';
import { PasskeyProofs } from './passkey-proofs.js';

/** A passkey as the second factor: after a password, and where an app requires one of a session that has none. */
@Injectable()
export class PasskeySecondFactor {
  constructor(
    private readonly passkeys: PasskeyProofs,
    private readonly secondStep: TwoFactorSignIn,
    private readonly events: TwoFactorEvents,
  ) {}

  async options(browser: Browser, returnUrl: string | undefined) {
    const accountId = await this.secondStep.waitingAccount(browser, returnUrl);
    if (accountId === undefined) throw new Problem('unauthenticated', message('sign-in-expired'));
    if (!(await this.passkeys.has(accountId))) throw new Problem('not-found', message('passkey-gone'));
    return this.passkeys.options(browser, { purpose: 'second-factor', accountId });
  }

  verify(browser: Browser, answer: object, verification: Verification) {
    const factor: SecondFactor = {
      prove: (accountId, then) =>
        this.passkeys
          .prove(browser, { purpose: 'second-factor', accountId }, answer, async ({ methods }) => {
            await this.events.recordProof(accountId, 'passkey', undefined);
            return then({ methods });
          })
          .catch(noteRefusal),
      refusal: refused,
    };
    return this.secondStep.verify(browser, factor, verification);
  }
}

function noteRefusal(error: unknown): never {
  if (error instanceof Problem && error.kind === 'invalid') note('passkey-refused');
  if (error instanceof Problem && error.kind === 'throttled') note('second-factor-locked');
  throw error;
}
