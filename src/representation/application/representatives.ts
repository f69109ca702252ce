import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { Blocks, identitiesOf } from '../domain/blocks.js';
import type { Relationship } from '../domain/relationship.js';

/** What the end of a relationship needs to know of accounts and apps. */
@Injectable()
export class Representatives {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly clients: RegisteredClients,
    private readonly blocks: Blocks,
  ) {}

  /** Keeps the pair from becoming active again, in the caller's transaction. */
  async block(relationship: Relationship): Promise<void> {
    const { id, accountId } = relationship;
    const email = accountId === null ? null : ((await this.accounts.findById(accountId))?.email ?? null);
    await this.blocks.add(relationship, identitiesOf({ ...relationship, email }), id);
  }

  async appOf(clientId: string) {
    return (await this.clients.findByClientId(clientId)) ?? { clientId, clientName: clientId };
  }
}
