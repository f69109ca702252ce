import { Injectable } from '@nestjs/common';
import type { UserActivity } from '../../contract/users/users.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, userGone } from '../../users/application/user-directory.js';
import { AuditedActivity } from '../domain/audited-activity.js';
import { GrantRevocation } from './grant-revocation.js';
import { Grants } from './grants.js';

/**
 * A user's activity as administrators see it: the last sign-in and the apps, not the data that these may read. They can
 * take back an app's access.
 */
@Injectable()
export class UserActivities {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly grants: Grants,
    private readonly activity: AuditedActivity,
    private readonly revocation: GrantRevocation,
  ) {}

  async describe(accountId: string): Promise<UserActivity> {
    await this.assertIsUser(accountId);
    const [{ clientsPermissions }, lastSignIn] = await Promise.all([
      this.grants.list(accountId),
      this.activity.lastSignIn(accountId),
    ]);
    return {
      lastSignIn: lastSignIn?.toISOString() ?? null,
      // The user also has a card for an app whose disclaimers are agreed to, and which has no access.
      apps: clientsPermissions
        .filter(({ created }) => created !== null)
        .map(({ clientId, clientName, lastUsed, pausedAt }) => ({ clientId, clientName, lastUsed, pausedAt })),
    };
  }

  /** The user gets a receipt. */
  async revokeApp(accountId: string, clientId: string): Promise<void> {
    await this.assertIsUser(accountId);
    await this.revocation.revokeApp(accountId, clientId, 'administrator');
  }

  private async assertIsUser(accountId: string): Promise<void> {
    const account = await this.accounts.findById(accountId);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', userGone);
  }
}
