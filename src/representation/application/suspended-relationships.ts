import { Injectable } from '@nestjs/common';
import type { ListQuery } from '../../contract/list-query.js';
import { message } from '../../contract/messages/message.js';
import type {
  ConfirmRelationshipsRequest,
  MergedRecord,
  RelationshipConfirmation,
  SuspendedRecord,
  SuspendedRecords,
} from '../../contract/representation/confirmations.js';
import type { ConfirmRelationshipRequest } from '../../contract/representation.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { PatientFacts, PatientKey } from '../domain/patient-facts.js';
import {
  assertSeen,
  fieldInvalid,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import type { Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';
import { RelationshipEnds } from './relationship-ends.js';
import { RelationshipSides, sidesOf } from './relationship-sides.js';
import { Representatives } from './representatives.js';

/** Administrators let suspended relationships continue. */
@Injectable()
export class SuspendedRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly people: Representatives,
    private readonly sides: RelationshipSides,
    private readonly records: PatientRecords,
    private readonly ends: RelationshipEnds,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Lets a suspended relationship continue; after the patient's own end only if `reason` names it. One whose record
   * was merged moves to the record that replaces it, if both are named: apps that were allowed for the old record lose
   * their access and ask again.
   */
  async confirm(
    id: string,
    decider: Decider,
    { note, patient, replaced, reason, seenChange }: ConfirmRelationshipRequest,
  ): Promise<Relationship> {
    const before = await this.relationships.findById(id);
    if (!before) throw relationshipGone();
    await this.sides.assertOther(sidesOf(before), decider);
    // A confirmation that names no cause may be executed after the patient's end, of which it knows nothing.
    const meant = reason ?? (before.reason === 'patient-ended' ? undefined : before.reason);
    if (before.reason !== meant) throw relationshipChanged();
    assertSeen(before, seenChange);
    const isMoved = patient !== undefined && patient !== before.patient;
    if (isMoved) await this.assertReplaced(before, { patient, replaced });
    if (isMoved) await this.sides.assertOther({ ...sidesOf(before), patient }, decider);
    const { tenant, relatedPerson } = before;
    const facts = await this.fitRecord({ tenant, patient: patient ?? before.patient });
    // The RelatedPerson of the record before is that of another patient for the FHIR server.
    const keepsReference =
      isMoved && relatedPerson && (await this.records.hasRelated({ tenant, patient }, relatedPerson));
    return this.database.repeatableTransaction(async () => {
      // It may have been suspended for another reason meanwhile, such as the patient's end.
      if (!(await this.relationships.lockUnchanged(before))) throw relationshipChanged();
      if (isMoved) await this.assertNotBlocked(before, patient);
      const moved = isMoved
        ? { patient, patientName: facts.name, ...(!keepsReference && { relatedPerson: null }) }
        : undefined;
      const change = { status: 'active', reason: null, note, ...moved } as const;
      const changed = await this.relationships.change(id, ['suspended'], change);
      if (!changed) throw relationshipChanged();
      if (moved) await this.ends.endAccess(before);
      const detail = {
        ...{ decision: 'confirm', status: changed.status, reason: before.reason, note },
        ...(moved && { from: before.patient, to: moved.patient }),
      };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
      return changed;
    });
  }

  /** Those whose records are gone or merged, with what the FHIR server has of them now. */
  async list({ searchTerm, page, pageSize }: ListQuery): Promise<SuspendedRecords> {
    const filter = { status: ['suspended' as const], reasons: ['deleted', 'merged'], searchTerm, page, pageSize };
    const { relationships, totalCount } = await this.relationships.list(filter);
    return { records: await Promise.all(relationships.map((one) => this.recordOf(one))), totalCount };
  }

  private async recordOf(relationship: Relationship): Promise<SuspendedRecord> {
    const { id, representativeName, patientName, tenant = null, patient, reason, suspendedAt } = relationship;
    const facts = await this.factsOf(relationship);
    const other = facts?.replacedBy;
    const replacing = other ? await this.factsOf({ tenant: relationship.tenant, patient: other }) : undefined;
    return {
      ...{ id, representativeName, patientName, tenant, patient, reason },
      suspendedAt: suspendedAt?.toISOString() ?? null,
      isThere: facts?.isActive === true && other === undefined,
      replacedBy: other && replacing ? { patient: other, name: replacing.name } : null,
    };
  }

  private async factsOf(key: PatientKey): Promise<PatientFacts | undefined> {
    const answer = await this.records.forPatient(key, new Date());
    return 'facts' in answer ? answer.facts : undefined;
  }

  /**
   * Confirms each by itself, in this order; one that cannot be confirmed is answered with its status. If a FHIR server
   * does not answer, all that are left of its tenant are answered 503: each would wait for it again.
   */
  async confirmAll(
    { relationships, note, reason, merged = [] }: ConfirmRelationshipsRequest,
    decider: Decider,
  ): Promise<RelationshipConfirmation[]> {
    const done: RelationshipConfirmation[] = [];
    const silent = new Set<string | undefined>();
    const tenantOf = async (id: string) => (await this.relationships.findById(id))?.tenant;
    for (const id of new Set(relationships)) {
      if (silent.size > 0 && silent.has(await tenantOf(id))) {
        done.push({ id, status: 503 });
        continue;
      }
      const refusal = await this.confirm(id, decider, {
        note,
        ...(reason && { reason }),
        ...recordsOf(id, merged),
      }).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof Problem) return error;
          throw error;
        },
      );
      if (refusal?.userMessage.code === 'fhir-server-unavailable') silent.add(await tenantOf(id));
      done.push({ id, status: refusal?.status ?? 200 });
    }
    return done;
  }

  /** The old record must name the new one. */
  private async assertReplaced(
    before: Relationship,
    { patient, replaced }: { patient: string; replaced: string | undefined },
  ): Promise<void> {
    if (replaced !== before.patient) throw fieldInvalid('replaced', 'representation-patient-unknown');
    const record = await this.records.forPatient(before, new Date());
    const replacedBy = 'facts' in record ? record.facts.replacedBy : undefined;
    if (before.reason !== 'merged' || replacedBy !== patient) {
      throw fieldInvalid('patient', 'representation-record-unfit');
    }
    const { tenant, accountId } = before;
    if (accountId !== null && (await this.sides.isPatient(accountId, { tenant, patient }))) {
      throw fieldInvalid('patient', 'representation-oneself');
    }
  }

  private async assertNotBlocked(before: Relationship, patient: string): Promise<void> {
    if (await this.people.isBlocked({ tenant: before.tenant, patient }, before)) {
      throw new Problem('conflict', message('representation-blocked'));
    }
  }

  private async fitRecord(key: PatientKey): Promise<PatientFacts> {
    const answer = await this.records.forPatient(key, new Date());
    if (!('facts' in answer)) {
      if (answer.cause === 'record-gone') throw fieldInvalid('patient', 'representation-patient-unknown');
      throw new Problem('unavailable', message('fhir-server-unavailable'));
    }
    const { facts } = answer;
    if (!facts.isActive || facts.replacedBy !== undefined) {
      throw fieldInvalid('patient', 'representation-record-unfit');
    }
    return facts;
  }
}

function recordsOf(id: string, merged: readonly MergedRecord[]): { patient?: string; replaced?: string } {
  const { patient, replaced } = merged.find(({ relationship }) => relationship === id) ?? {};
  return { ...(patient !== undefined && { patient }), ...(replaced !== undefined && { replaced }) };
}
