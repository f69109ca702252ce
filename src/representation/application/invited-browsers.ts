import { Injectable } from '@nestjs/common';
import type { Browser } from '../../platform/request/browser.js';

/** The facts of an invitation about the account that accepts it. */
export interface InvitedUser {
  /** Tenant of the patient who invites; undefined for the base of no tenant. */
  tenant: string | undefined;
}

/**
 * Browsers in which the mailed link of an invitation was opened: a user who signs in there at another provider, and has
 * no record, is one who acts for others. The module of the invitations registers here, because it stands above those of
 * sign-ins.
 */
@Injectable()
export class InvitedBrowsers {
  private finder: ((browser: Browser) => Promise<InvitedUser | undefined>) | undefined;

  foundBy(finder: (browser: Browser) => Promise<InvitedUser | undefined>): void {
    this.finder = finder;
  }

  /** Undefined unless an invitation is open of which the browser has shown the link in the last hour. */
  async invitedUser(browser: Browser): Promise<InvitedUser | undefined> {
    return this.finder?.(browser);
  }
}
