import { Injectable } from '@nestjs/common';
import type { RelationshipList, RelationshipListQuery, RelationshipView } from '../../contract/representation.js';
import { csvHead, csvLine } from '../../contract/rules/csv.js';
import { relationshipColumns } from '../../contract/rules/representation/relationship-import.js';
import { Audit } from '../../platform/audit/audit.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { liveStatuses, openStatuses, type Relationship, relationshipGone } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';

const exportedAtOnce = 500;

/** Relationships as administrators see them. */
@Injectable()
export class RelationshipLists {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly audit: Audit,
  ) {}

  async list(query: RelationshipListQuery): Promise<RelationshipList> {
    const { relationships, totalCount } = await this.relationships.list(query);
    return { relationships: relationships.map(viewOf), totalCount };
  }

  async get(id: string): Promise<RelationshipView> {
    const found = await this.relationships.findById(id);
    if (!found) throw relationshipGone();
    return viewOf(found);
  }

  /** The relationships that count or wait, as a CSV file that can be imported; the export is recorded. */
  async export(): Promise<AsyncIterable<string>> {
    const counts = await this.relationships.count([...liveStatuses, ...openStatuses]);
    const count = counts.reduce((sum, one) => sum + one.count, 0);
    await this.audit.record({ type: 'list.exported', outcome: 'success', detail: { list: 'representation', count } });
    return this.exportedLines();
  }

  /** The same as entries of a configuration file, in the order of patients and addresses. */
  async entries(): Promise<Record<string, string>[]> {
    const entries: Record<string, string>[] = [];
    for await (const relationships of this.exportedParts()) {
      for (const one of relationships) {
        const cells = await this.exportedCells(one);
        const names = relationshipColumns.map((column) => (column === 'related_person' ? 'relatedPerson' : column));
        const named = names.map((name, index) => [name, cells[index] ?? '']);
        entries.push(Object.fromEntries(named.filter(([, value]) => value !== '')));
      }
    }
    const key = ({ tenant = '', patient = '', email = '' }: Record<string, string>) => `${tenant} ${patient} ${email}`;
    return entries.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  }

  private async *exportedLines(): AsyncIterable<string> {
    yield csvHead(relationshipColumns);
    for await (const relationships of this.exportedParts()) {
      for (const one of relationships) yield csvLine(await this.exportedCells(one));
    }
  }

  private async *exportedParts(): AsyncIterable<Relationship[]> {
    const status = [...liveStatuses, ...openStatuses];
    for (let after: string | undefined; ; ) {
      const part = await this.relationships.following(after, status, exportedAtOnce);
      if (part.length > 0) yield part;
      if (part.length < exportedAtOnce) return;
      after = part.at(-1)?.id;
    }
  }

  private async exportedCells(relationship: Relationship): Promise<unknown[]> {
    const { accountId, representativeName, tenant, patient, basis, level, relation, start, end, note } = relationship;
    const email = accountId === null ? null : ((await this.accounts.findById(accountId))?.email ?? null);
    const cells = { email, name: representativeName, tenant, patient, basis, level, relation, start, end, note };
    return relationshipColumns.map((column) => ({ ...cells, related_person: relationship.relatedPerson })[column]);
  }
}

export function viewOf(found: Relationship): RelationshipView {
  const { firstDecider, agreedSteps: _, suspendedAt: __, renewedAt: ___, ...relationship } = found;
  const { tenant, proposedAt, decidedAt, endedAt } = relationship;
  return {
    ...relationship,
    tenant: tenant ?? null,
    awaitsSecond: firstDecider !== null && relationship.status === 'proposed',
    proposedAt: proposedAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  };
}
