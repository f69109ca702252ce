import { Injectable } from '@nestjs/common';
import { ClientsByFile } from '../../clients/application/clients-by-file.js';
import { message } from '../../contract/messages/message.js';
import { type ManagedKind, ManagedObjects } from '../../managed/application/managed-objects.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { TagsByFile } from '../../tags/application/tags-by-file.js';
import { UsersByFile } from '../../users/application/users-by-file.js';

/** Gives objects that a file manages back to the administrators. The objects stay as they are. */
@Injectable()
export class Releases {
  constructor(
    private readonly clients: ClientsByFile,
    private readonly tags: TagsByFile,
    private readonly users: UsersByFile,
    private readonly managed: ManagedObjects,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** `kind` is client, tag or user; a user is named by the address, or by the id of the account. */
  async release(kind: string, name: string): Promise<void> {
    await this.database.transaction(async () => {
      const found = await this.objectNamed(kind, name);
      if (!found || !(await this.managed.release(found.kind, found.id))) {
        throw new Problem('not-found', message('nothing-to-release', { kind, name }));
      }
      await this.record({ kind, id: found.id });
    });
  }

  async releaseAll(): Promise<number> {
    return this.database.transaction(async () => {
      const count = await this.managed.releaseAll();
      if (count > 0) await this.record({ count });
      return count;
    });
  }

  private record(detail: object): Promise<void> {
    return this.audit.record({ type: 'configuration.released', outcome: 'success', detail });
  }

  private async objectNamed(kind: string, name: string): Promise<{ kind: ManagedKind; id: string } | undefined> {
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
        return (await this.users.findByName({ email: name })) ?? (await this.users.load([name])).get(name)?.user;
      default:
        return undefined;
    }
  }
}
