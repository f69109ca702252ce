import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type Change, fieldChanges, Plan } from '../domain/plan.js';
import { configuredDisclaimers, configuredTenants } from './configured-part.js';
import type { Entry, FileContent } from './file-content.js';
import type { PlannedChange } from './planned-change.js';
import { PlannedClients } from './planned-clients.js';
import { PlannedRelationships } from './planned-relationships.js';
import { PlannedTags } from './planned-tags.js';
import { PlannedUsers } from './planned-users.js';

export interface PlanWithChanges {
  plan: Plan;
  changes: PlannedChange[];
}

export interface PlanOptions {
  adopt: boolean;
  /** False: a file that has relationships is refused. */
  withRelationships?: boolean;
}

/** Compares a file with what is stored; nothing is changed or locked. */
@Injectable()
export class ConfigurationPlans {
  constructor(
    private readonly tags: PlannedTags,
    private readonly clients: PlannedClients,
    private readonly users: PlannedUsers,
    private readonly relationships: PlannedRelationships,
    private readonly config: Config,
  ) {}

  /**
   * Throws `FileProblems` with everything that is wrong in the file. Deletions are last: a client gives up its tags
   * before these go.
   */
  async plan(content: FileContent, { adopt, withRelationships = false }: PlanOptions): Promise<PlanWithChanges> {
    const tags = await this.tags.plan(content, adopt);
    const clients = await this.clients.plan(content, { adopt, tagIds: tags.ids });
    const users = await this.users.plan(content, adopt);
    const relationships = await this.relationships.plan(content, withRelationships);
    const configured = [
      ...otherwiseConfigured('tenant', content.tenants, configuredTenants(this.config)),
      ...otherwiseConfigured('disclaimer', content.disclaimers, configuredDisclaimers(this.config)),
    ];
    content.refuse();
    const planned = [...configured, ...tags.changes, ...clients, ...users, ...relationships];
    const changes = [
      ...planned.filter(({ action }) => action !== 'delete'),
      ...planned.filter(({ action, kind }) => action === 'delete' && kind !== 'tag'),
      ...planned.filter(({ action, kind }) => action === 'delete' && kind === 'tag'),
    ];
    const shown = changes.map(({ kind, name, action, fields, note }) => ({ kind, name, action, fields, note }));
    return {
      plan: new Plan(
        shown.map(withoutUndefined),
        changes.map(({ basis }) => basis),
      ),
      changes,
    };
  }
}

function otherwiseConfigured(
  kind: 'tenant' | 'disclaimer',
  entries: Entry<Record<string, unknown>>[] | undefined,
  configured: Record<string, unknown>[],
): PlannedChange[] {
  if (!entries) return [];
  const known = new Map(configured.map((one) => [String(one.id), one]));
  const wanted = new Map(entries.map(({ path, value }) => [String(value.id), { path, value }]));
  return [...new Set([...wanted.keys(), ...known.keys()])].flatMap((id) => {
    const empty = Object.fromEntries(
      Object.keys({ ...known.get(id), ...wanted.get(id)?.value }).map((key) => [key, null]),
    );
    const fields = fieldChanges({ ...empty, ...known.get(id) }, { ...empty, ...wanted.get(id)?.value });
    const path = wanted.get(id)?.path ?? [`${kind}s`];
    const carryOut = () => Promise.resolve();
    return fields.length === 0
      ? []
      : [{ kind, name: id, action: 'configured-otherwise' as const, fields, path, id, basis: null, carryOut }];
  });
}

function withoutUndefined({ note, ...change }: Change & { note: string | undefined }): Change {
  return note === undefined ? change : { ...change, note };
}
