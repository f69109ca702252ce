import { Injectable } from '@nestjs/common';
import type { UserActivity } from '../../contract/users.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, userGone } from '../../users/application/user-directory.js';
import { AuditedActivity } from '../domain/audited-activity.js';
import { Grants } from './grants.js';

/** A user's activity as administrators see it: the last sign-in and the apps, not the data that these may read. */
@Injectable()
export class UserActivities {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly grants: Grants,
    private readonly activity: AuditedActivity,
  ) {}

  async of(accountId: string): Promise<UserActivity> {
    const account = await this.accounts.find(accountId);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', userGone);
    const [{ clientsPermissions }, lastSignIn] = await Promise.all([
      this.grants.list(accountId),
      this.activity.lastSignIn(accountId),
    ]);
    return {
      lastSignIn: lastSignIn?.toISOString() ?? null,
      apps: clientsPermissions.map(({ clientId, clientName, lastUsed }) => ({ clientId, clientName, lastUsed })),
    };
  }
}
