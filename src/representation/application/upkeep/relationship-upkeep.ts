import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { clocksAgree } from '../../../platform/database/connection.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';
import { BackgroundWork } from '../../../platform/process/background-work.js';
import type { Decision } from '../../domain/decision.js';
import { goneMs, isFaultOfServer, KnownPatients, type PatientFacts } from '../../domain/patient-facts.js';
import { isOfServer, liveStatuses, type Relationship } from '../../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../../domain/relationships.js';
import type { Gone } from '../patient-records.js';
import { ServerRelationships } from '../server/server-relationships.js';
import { RelationshipTelling, type ZonedDay } from './relationship-telling.js';

/** While too many records are gone, the limit is looked at by one request in this time. */
const pauseMs = 10_000;

/**
 * Stores what follows from the day and from a patient's record, so that a later correction of the record does not undo
 * it. It works in the background: the request is decided already.
 */
@Injectable()
export class RelationshipUpkeep implements OnModuleDestroy {
  private readonly background = new BackgroundWork();
  private heldBackUntil = 0;

  constructor(
    private readonly relationships: Relationships,
    private readonly known: KnownPatients,
    private readonly telling: RelationshipTelling,
    private readonly server: ServerRelationships,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /** As {@link ServerRelationships.update}. */
  updateByServer(account: string, tenant: string | undefined, at: Date): Promise<boolean> {
    return this.server.update({ account, tenant, at });
  }

  /** As {@link ServerRelationships.refusalOf}; undefined for a relationship that the server did not make. */
  async refusalByServer(relationship: Relationship, at: Date) {
    return isOfServer(relationship) ? this.server.refusalOf(relationship, at) : undefined;
  }

  async onModuleDestroy(): Promise<void> {
    await this.background.stop();
  }

  /** Resolves when what follows from the decision made before is stored; false if it could not be stored. */
  isStored({ id }: Relationship): Promise<boolean> {
    return this.background.settled(id);
  }

  /** The record was read, and decided so; `since`: the day of the age that ends it. */
  note(relationship: Relationship, decision: Decision, facts: PatientFacts, since?: ZonedDay): void {
    const { id } = relationship;
    if (!decision.permitted && decision.cause === 'age') {
      const { birthDate, readAt: at } = facts;
      this.inBackground(id, () => this.telling.end(relationship, { reason: 'age', since, birthDate, at }));
      return;
    }
    const change = changeAfter(relationship, decision, facts);
    if (change) this.inBackground(id, () => this.change(relationship, change));
  }

  /** The last day of its period is over, since this day. */
  noteOver(relationship: Relationship, at: Date, since: ZonedDay): void {
    this.inBackground(relationship.id, async () => {
      const birthDate = (await this.known.find(relationship))?.facts?.birthDate;
      await this.telling.end(relationship, { reason: 'period', since, birthDate, at });
    });
  }

  /** The record is not there, or inactive. It suspends the relationship if it stays so. */
  noteGone(relationship: Relationship, { since, readAt }: Gone): void {
    const isStored = relationship.status === 'suspended' && relationship.reason === 'deleted';
    if (isStored || readAt.getTime() - since.getTime() < goneMs || performance.now() < this.heldBackUntil) return;
    this.inBackground(relationship.id, async () => {
      const gone = await this.known.goneBefore(readAt);
      if (!isFaultOfServer(gone)) return this.change(relationship, { status: 'suspended', reason: 'deleted' });
      this.heldBackUntil = performance.now() + pauseMs;
      log.error(gone, 'records of so many represented patients are gone that no relationship is suspended for it');
    });
  }

  private async change(seen: Relationship, change: RelationshipChange): Promise<void> {
    const { id } = seen;
    // The change and its notification are one.
    await this.database.transaction(async () => {
      // It follows from the relationship as it was: an end or a suspension that came meanwhile stays.
      if (!(await this.relationships.lockUnchanged(seen))) return;
      const changed = await this.relationships.change(id, liveStatuses, change);
      if (!changed || change.status === undefined) return;
      const detail = { status: changed.status, reason: changed.reason };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
    });
  }

  private inBackground(id: string, work: () => Promise<unknown>): void {
    this.background.begin(
      id,
      () =>
        this.database.outsideTransaction(async () => {
          if (await clocksAgree(this.database)) await work();
        }),
      (err) => {
        // Another node or user was faster.
        if (err instanceof Problem && err.kind === 'conflict') return false;
        log.warn({ err, relationship: id }, 'a relationship could not be updated');
        return true;
      },
    );
  }
}

/** The part of a decision to store; undefined if the relationship already says it. */
function changeAfter(
  { status, reason, withoutBirthDate }: Relationship,
  decision: Decision,
  { birthDate }: PatientFacts,
): RelationshipChange | undefined {
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
