import { Injectable } from '@nestjs/common';
import type { Browser } from '../../platform/request/browser.js';
import { Recoveries } from '../../users/application/recoveries.js';
import { signInOver, TwoFactorSignIn } from './two-factor-sign-in.js';

/**
 * The way on for a user who has neither authenticator app nor recovery code at the second step of a sign-in. It needs
 * the right password, so that it tells nothing about an account to a caller without it, and it gives no access.
 */
@Injectable()
export class LostSecondFactor {
  constructor(
    private readonly signIn: TwoFactorSignIn,
    private readonly recoveries: Recoveries,
  ) {}

  /** Returns the end of the waiting time. */
  async beginRecovery(browser: Browser, returnUrl: string | null | undefined): Promise<Date> {
    const accountId = await this.signIn.waitingAccount(browser, returnUrl);
    if (accountId === undefined) throw signInOver(browser);
    return this.recoveries.beginAtSignIn(accountId);
  }
}
