import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { agreeableSteps, comingFor, isRenewable, type OnThisDay } from '../domain/coming-steps.js';
import {
  fieldInvalid,
  liveStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';
import type { Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';
import { RelationshipSides, sidesOf } from './relationship-sides.js';
import { RepresentationRules } from './representation-rules.js';
import { RelationshipTelling } from './upkeep/relationship-telling.js';

/** What patients answer about who acts for them, or administrators for patients without an account. */
@Injectable()
export class PatientAnswers {
  constructor(
    private readonly relationships: Relationships,
    private readonly sides: RelationshipSides,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly telling: RelationshipTelling,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * The patient agrees to an age step, from 30 days before it on, or takes the agreement back at any time: without it
   * nothing is seen. Throws `not-found` for a step that needs none.
   */
  async agree(accountId: string, id: string, answer: { step: number; isAgreed: boolean }): Promise<void> {
    await this.storeAgreement(await this.ofPatient(accountId, id), answer, undefined);
  }

  /** As {@link agree}, recorded by an administrator, who may not be a side. */
  async recordAgreement(
    id: string,
    decider: Decider,
    { note, ...answer }: { step: number; isAgreed: boolean; note: string },
  ): Promise<Relationship> {
    const relationship = await this.relationships.findById(id);
    if (!relationship) throw relationshipGone();
    await this.sides.assertOther(sidesOf(relationship), decider);
    return this.storeAgreement(relationship, answer, note);
  }

  /** Gives one that the patient chose another last day, in the 30 days before it. Throws `conflict` at other times. */
  async renew(accountId: string, id: string, end: string | null): Promise<void> {
    const relationship = await this.ofPatient(accountId, id);
    const { day } = await this.today(relationship);
    if (!this.rules.isChosenByPatient(relationship.basis)) throw leftToOthers();
    if (!isRenewable(relationship, day)) throw relationshipChanged();
    if (end !== null && end <= (relationship.end ?? '')) throw fieldInvalid('end', 'representation-period-past');
    await this.change(relationship, ['active'], { end, renewedAt: new Date() }, { end });
  }

  /** The patient says that one without end is still right. Throws `conflict` if nothing was asked. */
  async confirm(accountId: string, id: string): Promise<void> {
    const relationship = await this.ofPatient(accountId, id);
    if (!this.rules.isChosenByPatient(relationship.basis)) throw leftToOthers();
    const today = await this.today(relationship);
    const { question } = comingFor(relationship, today);
    if (question === undefined || question > today.day) throw relationshipChanged();
    await this.database.transaction(async () => {
      await this.telling.renew(id);
      const detail = { renewed: true };
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
    });
  }

  private async storeAgreement(
    relationship: Relationship,
    { step, isAgreed }: { step: number; isAgreed: boolean },
    note: string | undefined,
  ): Promise<Relationship> {
    const { ages, birthDate, day } = await this.today(relationship);
    const { agreedSteps, status, reason } = relationship;
    const mayAgree = agreeableSteps(ages, birthDate, day).some((one) => one.step === step);
    if (isAgreed ? !mayAgree : !agreedSteps.includes(step) && !mayAgree) throw relationshipGone();
    const others = agreedSteps.filter((one) => one !== step);
    // Whether it is enough, the next decision says.
    const waits = isAgreed && status === 'suspended' && reason === 'agreement';
    const change: RelationshipChange = {
      agreedSteps: isAgreed ? [...others, step] : others,
      ...(waits && { status: 'active', reason: null }),
      ...(note !== undefined && { note }),
    };
    return this.change(relationship, liveStatuses, change, { step, agreed: isAgreed });
  }

  private change(
    { id }: Relationship,
    from: readonly Relationship['status'][],
    change: RelationshipChange,
    detail: Record<string, unknown>,
  ): Promise<Relationship> {
    return this.database.transaction(async () => {
      const changed = await this.relationships.change(id, from, change);
      if (!changed) throw relationshipChanged();
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
      return changed;
    });
  }

  private async ofPatient(accountId: string, id: string): Promise<Relationship> {
    const found = await this.relationships.findById(id);
    if (!found || !liveStatuses.includes(found.status)) throw relationshipGone();
    if (!(await this.sides.isPatient(accountId, found))) throw relationshipGone();
    return found;
  }

  private async today(relationship: Relationship): Promise<OnThisDay> {
    const now = new Date();
    const record = await this.records.forPatient(relationship, now);
    const birthDate = 'facts' in record ? record.facts.birthDate : undefined;
    return this.rules.onDay(relationship, birthDate, now);
  }
}

function leftToOthers(): Problem {
  return new Problem('forbidden', message('representation-end-by-others'));
}
