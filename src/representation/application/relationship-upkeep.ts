import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { log } from '../../platform/logging/log.js';
import type { Decision } from '../domain/decision.js';
import type { PatientFacts } from '../domain/patient-facts.js';
import { liveStatuses, type Relationship } from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';

const portal = { kind: 'portal', id: null } as const;

/** Stores what follows from a patient's record, so that a later correction of the record does not undo it. */
@Injectable()
export class RelationshipUpkeep {
  constructor(
    private readonly relationships: Relationships,
    private readonly database: Database,
  ) {}

  /** In the background: the request is decided already. */
  note(relationship: Relationship, decision: Decision, facts: PatientFacts): void {
    const change = changeAfter(relationship, decision, facts);
    if (!change) return;
    this.database
      .outsideTransaction(() =>
        // The change and its notification are one.
        this.database.transaction(() => this.relationships.change(relationship.id, liveStatuses, change)),
      )
      .catch((err: unknown) => log.warn({ err, relationship: relationship.id }, 'a relationship could not be updated'));
  }
}

/** What is to be stored of a decision; undefined if the relationship already says it. */
function changeAfter(
  { status, reason, withoutBirthDate }: Relationship,
  decision: Decision,
  { birthDate }: PatientFacts,
): RelationshipChange | undefined {
  if (!decision.permitted && decision.cause === 'age') {
    return { status: 'ended', reason: 'age', endedBy: portal, endedAt: new Date() };
  }
  const suspended = decision.permitted ? undefined : suspensionFor(decision.cause);
  if (suspended !== undefined) {
    const isStored = status === 'suspended' && reason === suspended;
    return isStored ? undefined : { status: 'suspended', reason: suspended };
  }
  const isOver = decision.permitted && status === 'suspended' && (reason === 'deceased' || reason === 'agreement');
  const hasBirthDate = withoutBirthDate && birthDate !== undefined;
  if (!isOver && !hasBirthDate) return undefined;
  return { ...(isOver && { status: 'active', reason: null }), ...(hasBirthDate && { withoutBirthDate: false }) };
}

function suspensionFor(cause: string): 'deceased' | 'agreement' | 'merged' | undefined {
  if (cause === 'deceased' || cause === 'agreement') return cause;
  return cause === 'record-replaced' ? 'merged' : undefined;
}
