import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type {
  AdministeredRelationship,
  AgeRulesTrial,
  AgeRulesTrialQuery,
  AgeRules as AgeRulesView,
  AgeStepView,
} from '../../../contract/representation/administration.js';
import { Config } from '../../../platform/config/config.js';
import { Problem } from '../../../platform/errors.js';
import { type AgeStep, agesOn, dayIn, ends, nextStepAfter, notPossible, stepsOn } from '../../domain/ages.js';
import { decide } from '../../domain/decision.js';
import type { LevelRule } from '../../domain/level.js';
import { isAbove } from '../../domain/level-order.js';
import type { PatientFacts, PatientKey } from '../../domain/patient-facts.js';
import { fieldInvalid, openStatuses, type Relationship } from '../../domain/relationship.js';
import { PatientRecords } from '../patient-records.js';
import { RepresentationRules, viewOfExclusion, viewOfLevel } from '../representation-rules.js';

/** Stands for the level of a relationship, which an age table may leave as the only limit. */
const ownLevel = '*';

/** The configured rules: to be looked at, tried, and compared with a proposal. */
@Injectable()
export class AgeRules {
  constructor(
    private readonly rules: RepresentationRules,
    private readonly records: PatientRecords,
    private readonly config: Config,
  ) {}

  view(): AgeRulesView {
    const { tenants } = this.config.fhir;
    return {
      timeZone: this.rules.timeZone(undefined),
      ownAccountFrom: this.rules.ownAccountFrom(undefined),
      levels: this.rules.ownLevels.map(viewOfLevel),
      bases: this.rules.bases.map(([id, { label, askedBy, relations, ages }]) => ({
        ...{ id, label, askedBy, relations },
        keptPrivate: viewOfExclusion(this.rules.keptPrivate(id)),
        single: this.rules.singleKinds(id),
        ages: ages.map(stepView),
      })),
      tenants: tenants.map(({ id }) => ({
        id,
        timeZone: this.rules.timeZone(id),
        ownAccountFrom: this.rules.ownAccountFrom(id),
        tables: this.rules.bases
          .filter(([basis, { ages }]) => this.rules.ages(basis, id) !== ages)
          .map(([basis]) => ({ basis, ages: this.rules.ages(basis, id).map(stepView) })),
      })),
    };
  }

  /** Decides as for a request on this day. Throws `invalid` for a basis or tenant that is not configured. */
  trial({ basis, tenant, birthDate, on }: AgeRulesTrialQuery): AgeRulesTrial {
    if (!this.rules.basis(basis)) throw fieldInvalid('basis', 'representation-basis-unknown');
    if (tenant !== undefined && !this.config.fhir.tenants.some(({ id }) => id === tenant)) {
      throw fieldInvalid('tenant', 'representation-tenant-unknown');
    }
    const ages = this.rules.ages(basis, tenant);
    const decided = (agreedSteps: number[]) =>
      decide(
        { level: ownLevel, withoutBirthDate: false, aboveTable: null, agreedSteps },
        {
          ...{ day: on, ages, survivesDeath: false },
          facts: { birthDate, isDeceased: false, isActive: true, replacedBy: undefined },
        },
      );
    const decision = decided(ages.map(({ from }) => from));
    const next = nextStepAfter(birthDate, ages, on);
    return {
      refusal: decision.permitted ? null : (decision.cause as AgeRulesTrial['refusal']),
      levels: decision.permitted ? decision.levels.filter((level) => level !== ownLevel) : [],
      agreement: decision.permitted && !decided([]).permitted,
      ages: agesOn(birthDate, on) ?? null,
      next: next ? { on: next.on, surelyOn: next.surelyOn, step: stepView(next.step) } : null,
    };
  }

  /** As {@link AdministeredRelationship.table}, for an open proposal; `permits` for others, which reads no record. */
  async stateFor(relationship: Relationship): Promise<AdministeredRelationship['table']> {
    return openStatuses.includes(relationship.status) ? this.stateOfProposal(relationship) : 'permits';
  }

  /** The same, for a proposal that is not stored. */
  async stateOfProposal(
    proposal: Pick<Relationship, 'basis' | 'tenant' | 'patient' | 'level'>,
  ): Promise<AdministeredRelationship['table']> {
    const { basis, tenant, level } = proposal;
    const ages = this.rules.ages(basis, tenant);
    if (ages.length === 0) return 'permits';
    const answer = await this.records.forPatient(proposal, new Date());
    if (!('facts' in answer)) return 'unknown';
    const steps = stepsOn(answer.facts.birthDate, ages, dayIn(new Date(), this.rules.timeZone(tenant)));
    if (!steps) return 'unknown';
    if (steps.some((step) => step.level === ends || step.level === notPossible)) return 'refuses';
    const own = this.rules.level(basis, level);
    const limits = steps.map((step) => step.level && this.rules.level(basis, step.level));
    return own && limits.some((limit) => limit && isAbove(own, limit)) ? 'less' : 'permits';
  }

  /** As {@link RepresentationRules.givenLevel}. */
  givenLevel(basis: string, level: string): LevelRule {
    return this.rules.givenLevel(basis, level);
  }

  /** As {@link RepresentationRules.level}. */
  level(basis: string, level: string): LevelRule | undefined {
    return this.rules.level(basis, level);
  }

  /** The day at the tenant, `YYYY-MM-DD`. */
  today(tenant: string | undefined): string {
    return dayIn(new Date(), this.rules.timeZone(tenant));
  }

  /**
   * The record of a patient with the steps of the age table on this day; undefined without a usable birth date, none of
   * a basis without a table. Throws as {@link readRecord}.
   */
  async stepsFor(
    relationship: PatientKey & { basis: string },
  ): Promise<{ facts: PatientFacts; steps: AgeStep[] | undefined }> {
    const { basis, tenant } = relationship;
    const facts = await this.readRecord(relationship);
    const ages = this.rules.ages(basis, tenant);
    const day = dayIn(new Date(), this.rules.timeZone(tenant));
    return { facts, steps: ages.length === 0 ? [] : stepsOn(facts.birthDate, ages, day) };
  }

  /** Throws `invalid` at `patient` if there is no such record, and `unavailable` if it cannot be read. */
  async readRecord(key: PatientKey): Promise<PatientFacts> {
    const answer = await this.records.forPatient(key, new Date());
    if ('facts' in answer) return answer.facts;
    if (answer.cause === 'record-gone') throw fieldInvalid('patient', 'representation-patient-unknown');
    throw new Problem('unavailable', message('fhir-server-unavailable'));
  }
}

function stepView({ from, level, agreement = false }: AgeStep): AgeStepView {
  return { from, level: level ?? null, agreement };
}
