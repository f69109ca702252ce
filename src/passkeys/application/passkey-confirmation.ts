import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import type { Browser } from '../../platform/browser.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import { TwoFactorChangeGuard } from '../../two-factor/application/two-factor-change-guard.js';
import { TwoFactorEvents } from '../../two-factor/application/two-factor-events.js';
import { PasskeyProofs } from './passkey-proofs.js';

/** Answers of an account in an hour; each right one is given back. */
const tries: Limit = { name: 'passkey-confirmation', points: 20, seconds: 3600 };

/**
 * The signed-in user proves one of their own passkeys. It counts in place of the current password, and makes the session one with a
 * passkey.
 */
@Injectable()
export class PasskeyConfirmation {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly proofs: PasskeyProofs,
    private readonly sessions: BrowserSessions,
    private readonly events: TwoFactorEvents,
    private readonly limits: Limits,
  ) {}

  async options(browser: Browser) {
    const { id: accountId } = (await this.guard.find(browser, undefined)).account;
    if (!(await this.proofs.has(accountId))) throw new Problem('not-found', message('passkey-gone'));
    return this.proofs.options(browser, { purpose: 'confirm', accountId });
  }

  async confirm(browser: Browser, answer: object): Promise<void> {
    const { id: accountId } = (await this.guard.find(browser, undefined)).account;
    await this.limits.take(tries, accountId);
    await this.proofs.prove(browser, { purpose: 'confirm', accountId }, answer, async ({ passkey, methods }) => {
      await this.events.proven(accountId, 'passkey', undefined);
      await this.sessions.confirm(browser, { methods, passkeyId: passkey.id });
    });
    await this.limits.giveBack(tries, accountId);
  }
}
