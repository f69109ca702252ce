import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import type { Browser } from '../../platform/browser.js';
import { Problem } from '../../platform/errors.js';
import { Passkeys } from '../domain/passkey.js';

/** The offer of a passkey after a sign-in with a password: at most three times, 30 days apart. */
@Injectable()
export class PasskeyOffers {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly sessions: BrowserSessions,
  ) {}

  async isDue(browser: Browser): Promise<boolean> {
    const { accountId, amr } = await this.sessionOf(browser);
    return amr.includes('pwd') && (await this.passkeys.mayOffer(accountId));
  }

  async putOff(browser: Browser): Promise<void> {
    await this.passkeys.putOffOffer((await this.sessionOf(browser)).accountId);
  }

  private async sessionOf(browser: Browser) {
    const session = await this.sessions.describe(browser);
    if (!session) throw new Problem('unauthenticated', message('sign-in-needed'));
    return session;
  }
}
