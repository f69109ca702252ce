import { Injectable } from '@nestjs/common';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import { type PlannedUser, type UserName, UsersByFile } from '../../users/application/users-by-file.js';
import { type Action, fieldChanges } from '../domain/plan.js';
import type { FileContent } from './file-content.js';
import { attempted, type PlannedChange } from './planned-change.js';

/** The type and the claims of users who exist. No file makes or deletes an account. */
@Injectable()
export class PlannedUsers {
  constructor(
    private readonly users: UsersByFile,
    private readonly managed: ManagedObjects,
  ) {}

  async plan(content: FileContent, adopt: boolean): Promise<PlannedChange[]> {
    if (!content.users) return [];
    const marks = await this.managed.list('account');
    const changes: PlannedChange[] = [];
    const seen = new Set<string>();
    for (const { path, value } of content.users) {
      const user = await this.users.findByName(value.name);
      if (!user) {
        content.add(path, 'There is no such user, or it is an administrator. A file does not make accounts.');
        continue;
      }
      if (seen.has(user.id)) content.add(path, 'The file names this user twice.');
      seen.add(user.id);
      const planned = attempted(content, path, () => this.users.plan(value.role, user));
      const change = planned && this.changeOf(planned, value.name, marks.has(user.id), adopt);
      if (change) changes.push({ ...change, path });
    }
    const left = [...marks.keys()].filter((id) => !seen.has(id));
    for (const [id, { name }] of await this.users.load(left)) changes.push(this.releaseOf(id, name));
    return changes;
  }

  private changeOf(
    planned: PlannedUser,
    name: UserName,
    isManaged: boolean,
    adopt: boolean,
  ): Omit<PlannedChange, 'path'> | undefined {
    const { before, forms } = planned;
    const fields = fieldChanges(lines(forms.before), lines(forms.after));
    if (isManaged && fields.length === 0) return undefined;
    const action: Action = isManaged ? 'change' : adopt ? 'adopt' : 'adoption-needed';
    const carryOut = async () => {
      await this.users.change(planned);
      await this.managed.mark('account', before.id);
    };
    return {
      kind: 'user',
      name: textOf(name),
      action,
      fields,
      id: before.id,
      basis: [before.id, before.version],
      carryOut,
    };
  }

  private releaseOf(id: string, name: UserName): PlannedChange {
    const carryOut = async () => {
      await this.managed.release('account', id);
    };
    return {
      ...{ kind: 'user', name: textOf(name), action: 'release', fields: [], path: ['users'] },
      ...{ id, basis: id, carryOut },
    };
  }
}

function lines({ userType, claims }: { userType: string; claims: readonly { name: string; value: string }[] }) {
  return { userType, claims: claims.map(({ name, value }) => `${name}: ${value}`) };
}

function textOf(name: UserName): string {
  return 'email' in name ? name.email : `${name.subject} of ${name.issuer}`;
}
