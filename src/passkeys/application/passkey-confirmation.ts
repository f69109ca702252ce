import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TwoFactorChangeGuard } from '../../two-factor/application/two-factor-change-guard.js';
import { TwoFactorEvents } from '../../two-factor/application/two-factor-events.js';
import { PasskeyProofs } from './passkey-proofs.js';

/**
 * The signed-in user proves one of their own passkeys. It counts in place of the current password, and makes the
 * session one with a passkey.
 */
@Injectable()
export class PasskeyConfirmation {
  constructor(
    private readonly guard: TwoFactorChangeGuard,
    private readonly passkeys: PasskeyProofs,
    private readonly sessions: BrowserSessions,
    private readonly events: TwoFactorEvents,
  ) {}

  async options(browser: Browser) {
    const { id: accountId } = (await this.guard.ownerOf(browser, undefined)).account;
    if (!(await this.passkeys.has(accountId))) throw new Problem('not-found', message('passkey-gone'));
    return this.passkeys.options(browser, { purpose: 'confirm', accountId });
  }

  async confirm(browser: Browser, answer: object): Promise<void> {
    const { id: accountId } = (await this.guard.ownerOf(browser, undefined)).account;
    await this.passkeys.prove(browser, { purpose: 'confirm', accountId }, answer, async ({ passkey, methods }) => {
      await this.events.recordProof(accountId, 'passkey', undefined);
      await this.sessions.confirm(browser, { methods, passkeyId: passkey.id });
    });
  }
}
