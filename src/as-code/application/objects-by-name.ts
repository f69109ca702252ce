import { Injectable } from '@nestjs/common';
import { ClientsByFile } from '../../clients/application/clients-by-file.js';
import type { ManagedKind } from '../../managed/application/managed-objects.js';
import { TagsByFile } from '../../tags/application/tags-by-file.js';
import { UsersByFile } from '../../users/application/users-by-file.js';

/** The objects that operators name on the command line. */
@Injectable()
export class ObjectsByName {
  constructor(
    private readonly clients: ClientsByFile,
    private readonly tags: TagsByFile,
    private readonly users: UsersByFile,
  ) {}

  /** `kind` is client, tag or user; a user is named by the address, or by the id of the account. */
  async find(kind: string, name: string): Promise<{ kind: ManagedKind; id: string } | undefined> {
    const found = await this.lookUp(kind, name);
    return found && { kind: kind === 'user' ? 'account' : (kind as ManagedKind), id: found.id };
  }

  private async lookUp(kind: string, name: string): Promise<{ id: string } | undefined> {
    switch (kind) {
      case 'client':
        return (await this.clients.list()).find(({ clientId }) => clientId === name);
      case 'tag':
        return (await this.tags.list()).find(({ value }) => value.toLowerCase() === name.toLowerCase());
      case 'user':
        return (await this.users.find({ email: name })) ?? (await this.users.load([name])).get(name)?.user;
      default:
        return undefined;
    }
  }
}
