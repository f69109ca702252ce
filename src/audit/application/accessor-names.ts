import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { NamedAccessor } from '../../contract/own-record/access-log.js';
import { Config } from '../../platform/config/config.js';
import { UserDirectory } from '../../users/application/user-directory.js';

/** The names of apps and people as they are now. */
@Injectable()
export class AccessorNames {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly config: Config,
  ) {}

  get reportAddress(): string | null {
    return this.config.audit.reportAddress ?? null;
  }

  async ofClient(id: string): Promise<NamedAccessor> {
    const client = await this.clients.findByClientId(id);
    return { id, name: client ? client.clientName || id : null };
  }

  async ofPerson(id: string): Promise<NamedAccessor> {
    return { id, name: (await this.accounts.findById(id))?.fullName ?? null };
  }
}
