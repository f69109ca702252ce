import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { Passkeys } from '../domain/passkey.js';

/**
 * The offer of a passkey after a sign-in with a password: at most three times, 30 days apart. Where passkeys are
 * required, it is made at each such sign-in until the account has one.
 */
@Injectable()
export class PasskeyOffers {
  constructor(
    private readonly config: Config,
    private readonly passkeys: Passkeys,
    private readonly sessions: BrowserSessions,
  ) {}

  async isDue(browser: Browser): Promise<boolean> {
    const { accountId, amr } = await this.sessionOf(browser);
    if (!amr.includes('pwd')) return false;
    return this.areRequired ? !(await this.passkeys.has(accountId)) : this.passkeys.mayOffer(accountId);
  }

  async putOff(browser: Browser): Promise<void> {
    const { accountId } = await this.sessionOf(browser);
    // It is asked for at the next sign-in, and not counted.
    if (!this.areRequired) await this.passkeys.putOffOffer(accountId);
  }

  private get areRequired(): boolean {
    return this.config.account.passkeys === 'required';
  }

  private async sessionOf(browser: Browser) {
    const session = await this.sessions.describe(browser);
    if (!session) throw new Problem('unauthenticated', message('sign-in-needed'));
    return session;
  }
}
