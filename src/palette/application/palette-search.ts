import { Injectable } from '@nestjs/common';
import { ClientManagement } from '../../clients/application/client-management.js';
import type { OpenedQuery, OpenedRows, PaletteMatches } from '../../contract/palette.js';
import { UserManagement } from '../../users/application/user-management.js';

/** The search by which administrators find clients, users, pages and launches. */
@Injectable()
export class PaletteSearch {
  constructor(
    private readonly clients: ClientManagement,
    private readonly users: UserManagement,
  ) {}

  async matchesOf(term: string): Promise<PaletteMatches> {
    const [ofClients, ofUsers] = await Promise.all([this.clients.findClients(term), this.users.findUsers(term)]);
    return { ...ofClients, ...ofUsers };
  }

  async opened({ client, user }: OpenedQuery): Promise<OpenedRows> {
    const [clients, users] = await Promise.all([this.clients.namedClients(client), this.users.namedUsers(user)]);
    return { clients, users };
  }
}
