import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { DecideRelationshipRequest } from '../../contract/representation.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { type AgeStep, dayIn, ends, notPossible, stepsOn } from '../domain/ages.js';
import { Blocks, identitiesOf } from '../domain/blocks.js';
import { isAbove } from '../domain/level-order.js';
import type { PatientFacts } from '../domain/patient-facts.js';
import {
  fieldInvalid,
  openStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';
import { actorOf, assertNoParty, type Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';
import { RepresentationRules } from './representation-rules.js';

/** Decisions of administrators about proposals and blocks. */
@Injectable()
export class RelationshipDecisions {
  constructor(
    private readonly relationships: Relationships,
    private readonly blocks: Blocks,
    private readonly accounts: UserDirectory,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Decides about an open proposal. With `exceedsTable` the first administrator's approval waits for that of another
   * one. Of two deciders at the same time one gets `conflict`.
   */
  async decide(id: string, decider: Decider, asked: DecideRelationshipRequest): Promise<Relationship> {
    const before = await this.openProposal(id);
    await assertNoParty(this.accounts, before, decider);
    const change = asked.decision === 'approve' ? await this.approval(before, decider, asked) : refusal(decider, asked);
    return this.database.repeatableTransaction(async () => {
      // An administrator may have approved it a moment ago, and must not count as the second one.
      const current = await this.openProposal(id);
      if (current.firstDecider !== before.firstDecider) throw relationshipChanged();
      const changed = await this.relationships.change(id, openStatuses, change);
      if (!changed) throw relationshipChanged();
      const { decision, level, exceedsTable } = asked;
      await this.audit.record({
        type: 'representation.decided',
        outcome: 'success',
        subject: id,
        detail: { decision, level, exceedsTable, status: changed.status },
      });
      return changed;
    });
  }

  /** Lifts the block of a safeguarding end: the first administrator asks, another one lifts it. */
  async liftBlock(id: string, decider: Decider): Promise<'asked' | 'lifted'> {
    const before = await this.relationships.findById(id);
    if (!before) throw relationshipGone();
    if (decider.isService) throw secondPersonNeeded();
    await assertNoParty(this.accounts, before, decider);
    return this.database.transaction(async () => {
      const done = await this.blocks.lift(id, decider.id);
      if (!done) throw relationshipGone();
      await this.audit.record({
        type: 'representation.block-lifted',
        outcome: 'success',
        subject: id,
        detail: { state: done },
      });
      return done;
    });
  }

  private async openProposal(id: string): Promise<Relationship> {
    const found = await this.relationships.findById(id);
    if (!found) throw relationshipGone();
    if (!openStatuses.includes(found.status)) throw relationshipChanged();
    return found;
  }

  private async approval(
    before: Relationship,
    decider: Decider,
    asked: DecideRelationshipRequest,
  ): Promise<RelationshipChange> {
    const { level = before.level, note, exceedsTable = false, exceedsUntil = null, withoutBirthDate = false } = asked;
    if (!(await this.relationships.canBeDecided())) {
      throw new Problem('conflict', message('representation-rules-differ'));
    }
    const rule = this.rules.level(before.basis, level);
    if (!rule) throw fieldInvalid('level', 'representation-level-unknown');
    const account = before.accountId === null ? undefined : await this.accounts.findById(before.accountId);
    if (!account) throw new Problem('conflict', message('user-gone'));
    if (await this.blocks.isBlocked(before, identitiesOf({ ...before, email: account.email }))) {
      throw new Problem('conflict', message('representation-blocked'));
    }
    const { facts, steps } = await this.stepsOf(before);
    if (!steps && !withoutBirthDate) throw fieldInvalid('withoutBirthDate', 'representation-no-birth-date');
    if (steps?.some(({ level: one }) => one === ends || one === notPossible)) {
      throw fieldInvalid('decision', 'representation-not-possible');
    }
    const isDecided = { status: 'active', decidedBy: actorOf(decider), decidedAt: new Date(), note, level } as const;
    const names = { patientName: facts.name, representativeName: account.fullName };
    const approved = { ...isDecided, ...names, withoutBirthDate: steps === undefined };
    const [step] = steps ?? [];
    const limit = step?.level === undefined ? undefined : this.rules.level(before.basis, step.level);
    if (!exceedsTable || !step || !limit || !isAbove(rule, limit)) return { ...approved, aboveTable: null };
    if (steps && steps.length > 1) throw fieldInvalid('exceedsTable', 'representation-age-unknown');
    if (decider.isService) throw secondPersonNeeded();
    if (before.firstDecider === null || level !== before.level) return { firstDecider: decider.id, note, level };
    if (before.firstDecider === decider.id) throw secondPersonNeeded();
    return { ...approved, aboveTable: { step: step.from, until: exceedsUntil } };
  }

  private async stepsOf(before: Relationship): Promise<{ facts: PatientFacts; steps: AgeStep[] | undefined }> {
    const { facts } = await this.factsOf(before);
    const ages = this.rules.ages(before.basis, before.tenant);
    const day = dayIn(new Date(), this.rules.timeZone(before.tenant));
    return { facts, steps: ages.length === 0 ? [] : stepsOn(facts.birthDate, ages, day) };
  }

  private async factsOf(key: Pick<Relationship, 'tenant' | 'patient'>): Promise<{ facts: PatientFacts }> {
    const answer = await this.records.forPatient(key, new Date());
    if ('facts' in answer) return answer;
    if (answer.cause === 'record-gone') throw fieldInvalid('patient', 'representation-patient-unknown');
    throw new Problem('unavailable', message('fhir-server-unavailable'));
  }
}

function refusal(decider: Decider, { decision, note }: DecideRelationshipRequest): RelationshipChange {
  const status = decision === 'decline' ? 'declined' : 'more-needed';
  return { status, note, firstDecider: null, decidedBy: actorOf(decider), decidedAt: new Date() };
}

function secondPersonNeeded(): Problem {
  return new Problem('conflict', message('representation-second-person'));
}
