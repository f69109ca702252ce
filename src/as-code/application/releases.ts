import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { ObjectsByName } from './objects-by-name.js';

/** Gives objects that a file manages back to the administrators. The objects stay as they are. */
@Injectable()
export class Releases {
  constructor(
    private readonly objects: ObjectsByName,
    private readonly managed: ManagedObjects,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async release(kind: string, name: string): Promise<void> {
    await this.database.transaction(async () => {
      const found = await this.objects.find(kind, name);
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
}
