import type { Relationship } from '../../../src/representation/domain/relationship.js';
import type { NewRelationship } from '../../../src/representation/domain/relationships.js';

/** An active relationship of full level. */
export function aRelationship(members: Partial<Relationship> = {}): Relationship {
  return {
    id: '7b0d3d1c-0000-4000-8000-000000000001',
    accountId: '7b0d3d1c-0000-4000-8000-00000000000a',
    tenant: undefined,
    patient: 'leo',
    basis: 'parental-responsibility',
    level: 'full',
    serverLevel: null,
    relation: 'mother',
    start: null,
    end: null,
    status: 'active',
    reason: null,
    note: null,
    withoutBirthDate: false,
    aboveTable: null,
    agreedSteps: [],
    firstDecider: null,
    proposedBy: { kind: 'account', id: '7b0d3d1c-0000-4000-8000-00000000000b' },
    proposedAt: new Date('2026-01-01T00:00:00Z'),
    decidedBy: null,
    decidedAt: null,
    endedBy: null,
    endedAt: null,
    suspendedAt: null,
    changedAt: '2026-01-01T00:00:00.000000Z',
    renewedAt: null,
    representativeName: 'Ana Duarte',
    patientName: 'Leo',
    relatedPerson: null,
    ...members,
  };
}

/** The same, as it is stored. */
export function aNewRelationship(accountId: string, members: Partial<NewRelationship> = {}): NewRelationship {
  const { id: _, proposedAt: __, serverLevel: ___, ...made } = aRelationship();
  const { suspendedAt: ____, renewedAt: _____, changedAt: ______, ...rest } = made;
  return { ...rest, accountId, ...members };
}
