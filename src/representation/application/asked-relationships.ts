import { Injectable } from '@nestjs/common';
import type { ChangeChoices } from '../../contract/requests/changes.js';
import type { ApprovalChoices, AskedBasis } from '../../contract/requests.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Problem } from '../../platform/errors.js';
import type { UserFacts } from '../../users/application/user-directory.js';
import { agesOn, dayIn, ends, nextStepAfter, notPossible, stepsOn } from '../domain/ages.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { fieldInvalid, type Relationship } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import type { Decider } from './deciders.js';
import { LevelApprovals } from './levels/level-approvals.js';
import { RelationshipDecisions } from './relationship-decisions.js';
import { RelationshipProposals } from './relationship-proposals.js';
import { RepresentationRules } from './representation-rules.js';

/** Relationships that administrators approve for a user who has asked by form. */
export interface ApprovedTerms extends PatientKey {
  basis: string;
  level: string;
  relation: string;
  end: string | null;
  exceedsTable: boolean;
  withoutBirthDate: boolean;
  /** `RelatedPerson/{id}` of the user, where the record has one. */
  relatedPerson: string | undefined;
  /** For administrators only. */
  note: string;
}

const isNeeded = { needed: true, optional: false, none: null } as const;

/** The parts of a request that the configuration may demand. */
interface Sent {
  recordNumber?: string | undefined;
  statement?: string | undefined;
  files: readonly string[];
}

/** Relationships for which users ask the hospital. */
@Injectable()
export class AskedRelationships {
  constructor(
    private readonly relationships: Relationships,
    private readonly proposals: RelationshipProposals,
    private readonly decisions: RelationshipDecisions,
    private readonly levels: LevelApprovals,
    private readonly rules: RepresentationRules,
  ) {}

  /** The bases that are asked for by form. */
  bases(): AskedBasis[] {
    return this.rules.bases
      .filter(([, { askedBy }]) => askedBy.includes('form'))
      .map(([id, { label, relations, evidence }]) => ({
        ...{ id, label },
        evidence: {
          recordNumber: isNeeded[evidence.recordNumber],
          statement: isNeeded[evidence.statement],
          files: isNeeded[evidence.files],
        },
        relations: relations.map((one) => ({ id: one.id, label: one.representative, patient: one.patient })),
      }));
  }

  /** The label of a basis; its id where the configuration has it no more. */
  labelOf(basis: string): string {
    return this.rules.basis(basis)?.label ?? basis;
  }

  /**
   * Checks what a user asks for, without a look at any record. Returns the relation and the tenant. Throws `invalid`
   * with the problem at its field.
   */
  assertPermitted(asked: { basis: string; relation?: string; tenant?: string }, account: UserFacts) {
    const basis = this.bases().find(({ id }) => id === asked.basis);
    if (!basis) throw fieldInvalid('basis', 'representation-basis-unknown');
    const relation = basis.relations.find(({ id }) => id === (asked.relation ?? basis.relations[0]?.id));
    if (!relation) throw fieldInvalid('relation', 'representation-relation-unknown');
    const tenants = account.claims.filter(({ name }) => name === 'tenant').map(({ value }) => value);
    const tenant = asked.tenant ?? (tenants.length === 1 ? tenants[0] : undefined);
    const isTheirs = tenant === undefined ? tenants.length === 0 : tenants.includes(tenant);
    if (!isTheirs) throw fieldInvalid('tenant', 'representation-other-tenant');
    return { relation: relation.id, tenant };
  }

  /**
   * Checks that all is there that the basis demands. Returns what it asks for: anything else is not kept. Throws
   * `invalid` with each problem at its field.
   */
  evidenceOf(basisId: string, { recordNumber, statement, files }: Sent) {
    const { evidence } = this.bases().find(({ id }) => id === basisId) ?? {};
    const sent = { recordNumber: recordNumber?.trim() || null, statement: statement?.trim() || null, files };
    const isMissing = (field: keyof typeof sent) => evidence?.[field] === true && !sent[field]?.length;
    const missing = (['recordNumber', 'statement', 'files'] as const).filter(isMissing);
    if (missing.length > 0) {
      throw Problem.invalid(missing.map((field) => ({ field, messages: [fieldRequired] })));
    }
    return {
      recordNumber: evidence?.recordNumber === null ? null : sent.recordNumber,
      statement: evidence?.statement === null ? null : sent.statement,
      files: evidence?.files === null ? [] : files,
    };
  }

  /** Completed years today; null for a date that is none. */
  ageOf(birthDate: string, tenant: string | undefined): number | null {
    return agesOn(birthDate, this.today(tenant))?.least ?? null;
  }

  /** The choices that may be approved today for a patient with this birth date. */
  choicesFor(birthDate: string | undefined, tenant: string | undefined): ApprovalChoices {
    const day = this.today(tenant);
    const bases = this.rules.bases.map(([id, { label, relations }]) => {
      const ages = this.rules.ages(id, tenant);
      const steps = ages.length === 0 ? [] : (stepsOn(birthDate, ages, day) ?? []);
      const limits = steps.flatMap(({ level }) => (level && this.rules.level(id, level)) || []);
      const next = nextStepAfter(birthDate, ages, day);
      return {
        ...{ id, label },
        relations: relations.map((one) => ({ id: one.id, label: one.representative })),
        isPossible: !steps.some(({ level }) => level === ends || level === notPossible),
        ...this.rules.levelsForApproval(id, limits),
        next: next ? { on: next.on, age: next.step.from } : null,
      };
    });
    return { bases };
  }

  /** As {@link LevelApprovals.choicesFor}. */
  changeChoices(relationship: string, step: number | undefined): Promise<ChangeChoices | undefined> {
    return this.levels.choicesFor(relationship, step);
  }

  /** As {@link LevelApprovals.stepFor}, for the step in force. */
  stepFor(key: PatientKey & { basis: string }): Promise<number | null> {
    return this.levels.stepFor(key, undefined);
  }

  /** Number of accounts that act for the patient now. */
  async countActing(key: PatientKey): Promise<number> {
    return (await this.relationships.ofPatient(key)).filter(({ status }) => status === 'active').length;
  }

  /**
   * Makes the relationship, in the caller's transaction. `second-needed`: the level exceeds the age table, and there is
   * no first approval; the caller has to roll back.
   */
  async approve(
    { note, exceedsTable, withoutBirthDate, level, end, relatedPerson, ...terms }: ApprovedTerms,
    asker: { id: string; email: string },
    { first, last }: { first: Decider | undefined; last: Decider },
  ): Promise<Relationship | 'second-needed'> {
    const { tenant, ...others } = terms;
    const proposal = {
      ...{ ...others, ...(tenant !== undefined && { tenant }), email: asker.email, level, note },
      ...(end !== null && { end }),
      ...(relatedPerson !== undefined && { relatedPerson }),
    };
    const { id } = await this.proposals.propose(proposal, { id: asker.id, isService: false });
    const decision = { decision: 'approve', note, level, exceedsTable, withoutBirthDate } as const;
    const approved = await this.decisions.decide(id, first ?? last, decision);
    if (approved.status === 'active') return approved;
    return first ? this.decisions.decide(id, last, decision) : 'second-needed';
  }

  private today(tenant: string | undefined): string {
    return dayIn(new Date(), this.rules.timeZone(tenant));
  }
}
