import { Injectable } from '@nestjs/common';
import { WaitingRequests } from '../../../oidc/application/waiting-requests.js';
import type { Browser } from '../../../platform/browser.js';
import { PasswordResets } from '../../../users/application/passwords/password-resets.js';

/** Requests of users who forgot their password, perhaps during an app's request. */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly resets: PasswordResets,
    private readonly waiting: WaitingRequests,
  ) {}

  /** The link remembers the app's request behind `returnUrl`, if it is this browser's. */
  async send(email: string, browser: Browser, returnUrl: string | null | undefined): Promise<void> {
    const origin = returnUrl ? await this.waiting.remembered({ returnUrl, browser }) : undefined;
    await this.resets.request(email, browser.addressKey, origin);
  }
}
