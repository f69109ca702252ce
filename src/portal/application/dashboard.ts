import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import type { DashboardCounts } from '../../contract/dashboard.js';
import { UserDirectory } from '../../users/application/user-directory.js';

@Injectable()
export class Dashboard {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly clients: ClientManagement,
  ) {}

  /** Administrators do not count as users: the set-up is complete once there is a user who can sign in to an app. */
  async counts(): Promise<DashboardCounts> {
    const [numberOfUsers, numberOfClients] = await Promise.all([this.accounts.count(), this.clients.countClients()]);
    return { numberOfUsers, numberOfClients };
  }
}
