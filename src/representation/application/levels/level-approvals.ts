import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type { ChangeChoices } from '../../../contract/requests/changes.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Problem } from '../../../platform/errors.js';
import { type AgeStep, dayIn, ends, nextStepAfter, notPossible, stepsOn } from '../../domain/ages.js';
import { isLifted } from '../../domain/decision.js';
import type { LevelRule } from '../../domain/level.js';
import { isAbove } from '../../domain/level-order.js';
import type { PatientKey } from '../../domain/patient-facts.js';
import {
  fieldInvalid,
  givenBy,
  liveStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../../domain/relationships.js';
import { actorOf, type Decider } from '../deciders.js';
import { PatientRecords } from '../patient-records.js';
import { RelationshipSides, sidesOf } from '../relationship-sides.js';
import { RepresentationRules } from '../representation-rules.js';

/** Levels that administrators approve for a relationship that exists. */
export interface ApprovedLevel {
  level: string;
  /** True: the level counts although the age table has a lower one. It needs two administrators. */
  exceedsTable: boolean;
  /** The last day of a level above the table; null for that of the step. */
  until: string | null;
  /** Age of the coming step that it is for; undefined for a change that counts at once. */
  step: number | undefined;
}

interface AtStep {
  today: string;
  /** The steps whose levels limit; several while the exact age is unknown. */
  steps: readonly AgeStep[];
  /** The day on which the asked step begins; null for one in force. */
  on: string | null;
}

/** Administrators give an active or suspended relationship another level. */
@Injectable()
export class LevelApprovals {
  constructor(
    private readonly relationships: Relationships,
    private readonly sides: RelationshipSides,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly audit: Audit,
  ) {}

  /** The choices that may be approved today; undefined for one that has ended, or whose record cannot be read now. */
  async choicesFor(id: string, step: number | undefined): Promise<ChangeChoices | undefined> {
    const relationship = await this.relationships.findById(id);
    if (!relationship || !liveStatuses.includes(relationship.status)) return undefined;
    const answer = await this.records.forPatient(relationship, new Date());
    if (!('facts' in answer)) return undefined;
    const today = this.rules.onDay(relationship, answer.facts.birthDate, new Date());
    const { steps, on } = this.atStep(relationship, answer.facts.birthDate, step);
    const { present } = this.rules.levelChoices(relationship, today);
    const labelOf = (level: string) => this.rules.level(relationship.basis, level)?.label ?? level;
    return {
      basis: this.rules.basis(relationship.basis)?.label ?? relationship.basis,
      level: { id: present, label: labelOf(present) },
      step: on === null || step === undefined ? null : { age: step, on },
      isPossible: isPossible(steps),
      ...this.rules.levelsForApproval(
        relationship.basis,
        this.limitsOf(relationship, steps),
        this.rules.mostOf(relationship),
      ),
    };
  }

  /**
   * Stores the level, in the caller's transaction. `second-needed`: it exceeds the age table, and there is no first
   * approval; nothing is stored then. Throws `invalid` with the problem at its field.
   */
  async approve(
    id: string,
    { level, exceedsTable, until, step }: ApprovedLevel,
    { first, last, note }: { first: Decider | undefined; last: Decider; note: string },
  ): Promise<Relationship | 'second-needed'> {
    const before = await this.relationships.findForChange(id);
    if (!before) throw relationshipGone();
    for (const decider of [first ?? last, last]) {
      await this.sides.assertOther(sidesOf(before), decider);
    }
    if (!(await this.relationships.canBeDecided())) {
      throw new Problem('conflict', message('representation-rules-differ'));
    }
    this.rules.givenLevel(before.basis, level);
    this.rules.assertGivenByServer(before, level, 'level');
    const answer = await this.records.forPatient(before, new Date());
    if (!('facts' in answer)) throw new Problem('unavailable', message('fhir-server-unavailable'));
    const { today, steps, on } = this.atStep(before, answer.facts.birthDate, step);
    if (!isPossible(steps)) throw fieldInvalid('level', 'representation-not-possible');
    if (until !== null && until < (on ?? today)) throw fieldInvalid('end', 'representation-period-past');
    const isAboveTable = exceedsTable && this.exceeds(before, level, steps);
    if (isAboveTable && steps.length > 1) throw fieldInvalid('exceedsTable', 'representation-age-unknown');
    if (isAboveTable && !first) return 'second-needed';
    const isLater = on !== null;
    if (isLater && isExceeding(before, today)) throw fieldInvalid('exceedsTable', 'representation-exceeds-already');
    const [from = 0] = steps.map((one) => one.from);
    const aboveTable = isAboveTable ? { step: from, until, ...(isLater && { level }) } : null;
    // Until the step comes, the level of the relationship stays as it is.
    const change: RelationshipChange = isLater
      ? { aboveTable, note }
      : { level, aboveTable, note, ...givenBy(before, actorOf(last)) };
    const changed = await this.relationships.change(id, liveStatuses, change);
    if (!changed) throw relationshipChanged();
    const detail = { decision: 'level', from: before.level, ...change, level, first: first?.id };
    await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail });
    return changed;
  }

  /** Age of the step that an approval is for: the asked one, or the one in force; null while it is not known. */
  async stepFor(key: PatientKey & { basis: string }, asked: number | undefined): Promise<number | null> {
    const answer = await this.records.forPatient(key, new Date());
    const [step, other] = 'facts' in answer ? this.atStep(key, answer.facts.birthDate, asked).steps : [];
    return step && !other ? step.from : null;
  }

  /** The asked step is the next one, or has begun meanwhile; without one those in force. */
  private atStep(
    { basis, tenant }: Pick<Relationship, 'basis' | 'tenant'>,
    birthDate: string | undefined,
    step: number | undefined,
  ): AtStep {
    const today = dayIn(new Date(), this.rules.timeZone(tenant));
    const ages = this.rules.ages(basis, tenant);
    const next = nextStepAfter(birthDate, ages, today);
    if (step !== undefined && next?.step.from === step) return { today, steps: [next.step], on: next.on };
    const steps = ages.length === 0 ? [] : (stepsOn(birthDate, ages, today) ?? []);
    return { today, steps, on: null };
  }

  private exceeds({ basis }: Relationship, level: string, steps: readonly AgeStep[]): boolean {
    const rule = this.rules.level(basis, level);
    return rule !== undefined && this.limitsOf({ basis }, steps).some((limit) => isAbove(rule, limit));
  }

  private limitsOf({ basis }: Pick<Relationship, 'basis'>, steps: readonly AgeStep[]): LevelRule[] {
    return steps.flatMap(({ level }) => (level === undefined ? [] : (this.rules.level(basis, level) ?? [])));
  }
}

function isPossible(steps: readonly AgeStep[]): boolean {
  return !steps.some(({ level }) => level === ends || level === notPossible);
}

/** True while a level above the table counts for a step that is not the asked one. */
function isExceeding(relationship: Relationship, today: string): boolean {
  const { aboveTable } = relationship;
  return aboveTable !== null && isLifted({ from: aboveTable.step }, relationship, today);
}
