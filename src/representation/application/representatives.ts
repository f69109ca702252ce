import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { UserDirectory } from '../../users/application/user-directory.js';

/** What the end of a relationship needs to know of accounts and apps. */
@Injectable()
export class Representatives {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly clients: RegisteredClients,
  ) {}

  async emailOf(accountId: string): Promise<string | null> {
    return (await this.accounts.findById(accountId))?.email ?? null;
  }

  async appOf(clientId: string) {
    return (await this.clients.findByClientId(clientId)) ?? { clientId, clientName: clientId };
  }
}
