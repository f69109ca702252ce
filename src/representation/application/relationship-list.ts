import { Injectable } from '@nestjs/common';
import type { RelationshipList, RelationshipListQuery, RelationshipView } from '../../contract/representation.js';
import { type Relationship, relationshipGone } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';

/** Relationships as administrators see them. */
@Injectable()
export class RelationshipLists {
  constructor(private readonly relationships: Relationships) {}

  async list(query: RelationshipListQuery): Promise<RelationshipList> {
    const { relationships, totalCount } = await this.relationships.list(query);
    return { relationships: relationships.map(viewOf), totalCount };
  }

  async get(id: string): Promise<RelationshipView> {
    const found = await this.relationships.findById(id);
    if (!found) throw relationshipGone();
    return viewOf(found);
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
