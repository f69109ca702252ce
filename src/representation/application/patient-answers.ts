import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { agreeableSteps, isRenewable, type OnThisDay, yearlyQuestion } from '../domain/coming-steps.js';
import {
  assertSeen,
  fieldInvalid,
  liveStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships, renewalOf } from '../domain/relationships.js';
import type { Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';
import { RelationshipSides, sidesOf } from './relationship-sides.js';
import { RepresentationRules } from './representation-rules.js';

/** About an age step. `seenChange`: `changedAt` of the relationship as it was shown. */
interface Answer {
  step: number;
  isAgreed: boolean;
  seenChange?: string | undefined;
}

/** Answers of patients about their representatives; administrators answer for patients without an account. */
@Injectable()
export class PatientAnswers {
  constructor(
    private readonly relationships: Relationships,
    private readonly sides: RelationshipSides,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * The patient agrees to an age step, from 30 days before it on, or takes the agreement back at any time: without it
   * nothing is seen. Throws `not-found` for a step that needs none, and `conflict` for an agreement to a relationship
   * that was changed since `seenChange`: it may be executed late, after the patient has taken it back.
   */
  async agree(accountId: string, id: string, answer: Answer): Promise<void> {
    await this.storeAgreement(await this.ofPatient(accountId, id), answer, undefined);
  }

  /** As {@link agree}, recorded by an administrator, who may not be a side. */
  async recordAgreement(
    id: string,
    decider: Decider,
    { note, ...answer }: Answer & { note: string },
  ): Promise<Relationship> {
    const relationship = await this.relationships.findById(id);
    if (!relationship) throw relationshipGone();
    await this.sides.assertOther(sidesOf(relationship), decider);
    return this.storeAgreement(relationship, answer, note);
  }

  /** Gives one that the patient chose another last day, in the 30 days before it. Throws `conflict` at other times. */
  async renew(accountId: string, id: string, end: string | null): Promise<void> {
    const relationship = await this.ofPatient(accountId, id);
    if (!this.rules.isChosenByPatient(relationship.basis)) throw leftToOthers();
    await this.change(relationship, (current, { day }) => {
      if (!isRenewable(current, day)) throw relationshipChanged();
      if (end !== null && end <= (current.end ?? '')) throw fieldInvalid('end', 'representation-period-past');
      return { change: { end, renewedAt: new Date() }, detail: { end } };
    });
  }

  /** The patient says that one without end is still right. Throws `conflict` if nothing was asked. */
  async confirm(accountId: string, id: string): Promise<void> {
    const relationship = await this.ofPatient(accountId, id);
    if (!this.rules.isChosenByPatient(relationship.basis)) throw leftToOthers();
    await this.change(relationship, (current, today, now) => {
      const question = yearlyQuestion(current, today);
      if (question === undefined || question > today.day) throw relationshipChanged();
      return { change: renewalOf(current, now), detail: { renewed: true } };
    });
  }

  private storeAgreement(
    relationship: Relationship,
    { step, isAgreed, seenChange }: Answer,
    note: string | undefined,
  ): Promise<Relationship> {
    return this.change(relationship, ({ agreedSteps, status, reason, changedAt }, { ages, birthDate, day }) => {
      const mayAgree = agreeableSteps(ages, birthDate, day).some((one) => one.step === step);
      if (isAgreed ? !mayAgree : !agreedSteps.includes(step) && !mayAgree) throw relationshipGone();
      // One that is sent again finds its own change.
      if (isAgreed && !agreedSteps.includes(step)) assertSeen({ changedAt }, seenChange);
      const others = agreedSteps.filter((one) => one !== step);
      // Whether it is enough, the next decision says.
      const waits = isAgreed && status === 'suspended' && reason === 'agreement';
      const change: RelationshipChange = {
        agreedSteps: isAgreed ? [...others, step] : others,
        ...(waits && { status: 'active', reason: null }),
        ...(note !== undefined && { note }),
      };
      const recorded = note !== undefined && { decision: 'agreement', note };
      return { change, detail: { step, agreed: isAgreed, ...recorded } };
    });
  }

  /** Decides by the relationship as it is now: another answer, an end or a suspension may have come meanwhile. */
  private async change(
    { id, ...key }: Relationship,
    decide: (
      current: Relationship,
      today: OnThisDay,
      now: Date,
    ) => { change: RelationshipChange; detail: Record<string, unknown> },
  ): Promise<Relationship> {
    const now = new Date();
    const record = await this.records.forPatient(key, now);
    const birthDate = 'facts' in record ? record.facts.birthDate : undefined;
    return this.database.transaction(async () => {
      const current = await this.relationships.findForChange(id);
      if (!current || !liveStatuses.includes(current.status)) throw relationshipChanged();
      const { change, detail } = decide(current, this.rules.onDay(current, birthDate, now), now);
      const changed = await this.relationships.change(id, liveStatuses, change);
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
}

function leftToOthers(): Problem {
  return new Problem('forbidden', message('representation-end-by-others'));
}
