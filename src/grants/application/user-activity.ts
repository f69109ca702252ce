import { Injectable } from '@nestjs/common';
import type { UserActivity } from '../../contract/users.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, userGone } from '../../users/application/user-directory.js';
import { Grants } from './grants.js';

/** A user's activity as administrators see it: the last sign-in and the apps, not the data that these may read. */
@Injectable()
export class UserActivities {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly grants: Grants,
    private readonly database: Database,
  ) {}

  async of(accountId: string): Promise<UserActivity> {
    const account = await this.accounts.find(accountId);
    if (!account || account.userType === 'Admin') throw new Problem('not-found', userGone);
    const [{ clientsPermissions }, { rows }] = await Promise.all([
      this.grants.list(accountId),
      this.database.query<{ at: Date }>(
        `SELECT recorded_at AS at FROM audit_event
          WHERE user_id = $1 AND type = 'login' AND outcome = 'success' ORDER BY recorded_at DESC LIMIT 1`,
        [accountId],
      ),
    ]);
    return {
      lastSignIn: rows[0]?.at.toISOString() ?? null,
      apps: clientsPermissions.map(({ clientId, clientName, lastUsed }) => ({ clientId, clientName, lastUsed })),
    };
  }
}
