import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { DecideRelationshipRequest } from '../../contract/representation.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { ends, notPossible } from '../domain/ages.js';
import { isAbove } from '../domain/level-order.js';
import {
  assertSeen,
  fieldInvalid,
  openStatuses,
  type Relationship,
  relationshipChanged,
  relationshipGone,
} from '../domain/relationship.js';
import { type RelationshipChange, Relationships } from '../domain/relationships.js';
import { AgeRules } from './administration/age-rules.js';
import { actorOf, type Decider } from './deciders.js';
import { PatientNotices } from './patient-notices.js';
import { RelationshipSides, sidesOf } from './relationship-sides.js';
import { Representatives } from './representatives.js';

/** Decisions of administrators about proposals and blocks. */
@Injectable()
export class RelationshipDecisions {
  constructor(
    private readonly relationships: Relationships,
    private readonly people: Representatives,
    private readonly sides: RelationshipSides,
    private readonly ageRules: AgeRules,
    private readonly notices: PatientNotices,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  /**
   * Decides about an open proposal. With `exceedsTable` the first administrator's approval waits for that of another
   * one. Of two deciders at the same time one gets `conflict`, and so does a decision about a proposal that was changed
   * since `seenChange`. The patient is told once the relationship is active.
   */
  async decide(id: string, decider: Decider, asked: DecideRelationshipRequest): Promise<Relationship> {
    const before = await this.openProposal(id);
    await this.sides.assertOther(sidesOf(before), decider);
    assertSeen(before, asked.seenChange);
    const approval = asked.decision === 'approve' ? await this.approval(before, decider, asked) : undefined;
    const change = approval?.change ?? refusal(decider, asked);
    return this.database.repeatableTransaction(async () => {
      // Another administrator may have approved it or asked for more a moment ago.
      if (!(await this.relationships.lockUnchanged(before))) throw relationshipChanged();
      if (change.status === 'active') await this.assertNotBlocked(before);
      const changed = await this.relationships.change(id, openStatuses, change);
      if (!changed) throw relationshipChanged();
      const { decision, note, exceedsTable } = asked;
      await this.audit.record({
        type: 'representation.decided',
        outcome: 'success',
        subject: id,
        detail: { decision, level: changed.level, exceedsTable, status: changed.status, note },
      });
      if (approval && changed.status === 'active') {
        await this.notices.tellPatient(changed, approval.birthDate, new Date(), 'family-changed');
      }
      return changed;
    });
  }

  /** Lifts the block of a safeguarding end: the first administrator asks, another one lifts it. */
  async liftBlock(id: string, decider: Decider): Promise<'asked' | 'lifted'> {
    const before = await this.relationships.findById(id);
    if (!before) throw relationshipGone();
    if (decider.isService) throw secondPersonNeeded();
    await this.sides.assertOther(sidesOf(before), decider);
    return this.database.transaction(async () => {
      const done = await this.people.liftBlock(before, decider.id);
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
  ): Promise<{ change: RelationshipChange; birthDate: string | undefined }> {
    const { level = before.level, note, exceedsTable = false, exceedsUntil = null, withoutBirthDate = false } = asked;
    if (!(await this.relationships.canBeDecided())) {
      throw new Problem('conflict', message('representation-rules-differ'));
    }
    const rule = this.ageRules.givenLevel(before.basis, level);
    const account = await this.people.accountOf(before);
    if (!account) throw new Problem('conflict', message('user-gone'));
    await this.assertNotBlocked(before);
    if (await this.people.hasAddressOfPatient(before, account.email)) {
      throw new Problem('conflict', message('representation-address-of-patient'));
    }
    const today = this.ageRules.today(before.tenant);
    if (before.end !== null && before.end < today) throw fieldInvalid('decision', 'representation-period-past');
    if (exceedsUntil !== null && exceedsUntil < today) throw fieldInvalid('exceedsUntil', 'representation-period-past');
    const { facts, steps } = await this.ageRules.stepsFor(before);
    const { birthDate } = facts;
    if (!steps && !withoutBirthDate) throw fieldInvalid('withoutBirthDate', 'representation-no-birth-date');
    if (steps?.some(({ level: one }) => one === ends || one === notPossible)) {
      throw fieldInvalid('decision', 'representation-not-possible');
    }
    const isDecided = { status: 'active', decidedBy: actorOf(decider), decidedAt: new Date(), note, level } as const;
    const names = { patientName: facts.name, representativeName: account.fullName };
    const approved = { ...isDecided, ...names, withoutBirthDate: steps === undefined };
    const [step] = steps ?? [];
    const limit = step?.level === undefined ? undefined : this.ageRules.level(before.basis, step.level);
    if (!exceedsTable || !step || !limit || !isAbove(rule, limit)) {
      return { birthDate, change: { ...approved, aboveTable: null } };
    }
    if (steps && steps.length > 1) throw fieldInvalid('exceedsTable', 'representation-age-unknown');
    if (decider.isService) throw secondPersonNeeded();
    // Both approve for the same step: a birthday between them needs the first one again.
    const isSecond = before.firstDecider !== null && level === before.level && before.aboveTable?.step === step.from;
    if (!isSecond) {
      const aboveTable = { step: step.from, until: exceedsUntil };
      return { birthDate, change: { firstDecider: decider.id, note, level, aboveTable } };
    }
    if (before.firstDecider === decider.id) throw secondPersonNeeded();
    return { birthDate, change: { ...approved, aboveTable: { step: step.from, until: exceedsUntil } } };
  }

  private async assertNotBlocked(before: Relationship): Promise<void> {
    if (await this.people.isBlocked(before, before)) {
      throw new Problem('conflict', message('representation-blocked'));
    }
  }
}

function refusal(decider: Decider, { decision, note }: DecideRelationshipRequest): RelationshipChange {
  const status = decision === 'decline' ? 'declined' : 'more-needed';
  return { status, note, firstDecider: null, aboveTable: null, decidedBy: actorOf(decider), decidedAt: new Date() };
}

function secondPersonNeeded(): Problem {
  return new Problem('conflict', message('representation-second-person'));
}
