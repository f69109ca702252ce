import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Audit } from '../../../platform/audit/audit.js';
import { Database } from '../../../platform/database/database.js';
import { dayIn } from '../../domain/ages.js';
import { addDays, answerDays, startOf, type TellingStep } from '../../domain/coming-steps.js';
import { DueRelationships } from '../../domain/due-relationships.js';
import { liveStatuses, portal, type Relationship } from '../../domain/relationship.js';
import { Relationships, renewalOf } from '../../domain/relationships.js';
import { HospitalQuestions } from '../hospital-questions.js';
import { PatientNotices } from '../patient-notices.js';
import { RelationshipEnds } from '../relationship-ends.js';

interface Told {
  /** Of the patient, as the record has it. */
  birthDate: string | undefined;
  at: Date;
}

/** A day in the time zone of a relationship. */
export interface ZonedDay {
  day: string;
  timeZone: string;
}

/** Ends by the calendar, with both sides told of it; and what they are told before, each step once. */
@Injectable()
export class RelationshipTelling implements OnModuleInit {
  /** Nodes are stopped while a backup is restored, so that it is read once. */
  private restored: Promise<Date | undefined> | undefined;

  constructor(
    private readonly due: DueRelationships,
    private readonly relationships: Relationships,
    private readonly notices: PatientNotices,
    private readonly questions: HospitalQuestions,
    private readonly ends: RelationshipEnds,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.questions.onAnswered((kind, id, answer) =>
      kind === 'still-right' && answer === 'continues' ? this.renew(id) : undefined,
    );
  }

  /** Tells both sides, once for each step: one that a lost database may have told of is only stored. */
  async tell(
    relationship: Relationship,
    { key, kind, due }: TellingStep,
    { birthDate, at, timeZone }: Told & { timeZone: string },
  ): Promise<void> {
    const wasTold = due !== undefined && (await this.mayHaveTold(relationship, { day: due, timeZone }));
    await this.database.transaction(async () => {
      if (!(await this.due.tell(relationship.id, key, at)) || wasTold) return;
      const name = kind === 'soon' ? 'family-changes' : 'family-changed';
      await this.notices.tellRepresentative(relationship, name);
      await this.notices.tellPatient(relationship, birthDate, at, name);
    });
  }

  /** True if it was due before the database was restored from an older backup, and this relationship was in it. */
  private async mayHaveTold({ decidedAt }: Relationship, { day, timeZone }: ZonedDay): Promise<boolean> {
    this.restored ??= this.due.restoredAt().catch((error: unknown) => {
      this.restored = undefined;
      throw error;
    });
    const restored = await this.restored;
    return restored !== undefined && decidedAt !== null && decidedAt < restored && startOf(day, timeZone) < restored;
  }

  /**
   * Ends it, and tells both sides, but of a death neither, nor of what a lost database may have told of (`since`).
   * Throws `conflict` if it has ended, or was changed since it was read: a patient may have answered meanwhile.
   */
  async end(
    relationship: Relationship,
    {
      reason,
      since,
      birthDate,
      at,
    }: Told & { reason: 'age' | 'period' | 'deceased' | 'representative-gone' | 'unanswered'; since?: ZonedDay },
  ): Promise<void> {
    const wasTold = since !== undefined && (await this.mayHaveTold(relationship, since));
    await this.database.repeatableTransaction(async () => {
      const ended = await this.ends.end(relationship.id, { reason, by: portal, seen: relationship });
      if (reason === 'deceased' || wasTold) return;
      await this.notices.tellRepresentative(ended, 'family-changed');
      await this.notices.tellPatient(ended, birthDate, at, 'family-changed');
    });
  }

  /**
   * Asks whether a relationship without end is still right: the patient who chose it, or else administrators. Without
   * an answer within 30 days it ends, or, where administrators were asked, is suspended. Returns the last day of that.
   */
  async askYearly(
    relationship: Relationship,
    { question, day, timeZone, birthDate, at }: Told & ZonedDay & { question: string },
  ): Promise<string> {
    const { id } = relationship;
    const key = `yearly:${question}`;
    const isPatientAsked = await this.notices.isPatientAsked(relationship);
    await this.database.transaction(async () => {
      if (!(await this.due.tell(id, key, at))) return;
      if (isPatientAsked) await this.notices.tellPatient(relationship, birthDate, at, 'family-changes');
      else {
        await this.questions.open({ kind: 'still-right', relationship, days: answerDays });
        await this.notices.tellRepresentative(relationship, 'family-changes');
      }
    });
    const told = await this.due.toldAt(id, key);
    const last = addDays(told ? dayIn(told, timeZone) : day, answerDays + 1);
    if (last > day) return last;
    if (isPatientAsked) await this.end(relationship, { reason: 'unanswered', birthDate, at });
    else await this.suspendUnanswered(relationship);
    return addDays(day, 1);
  }

  /** The answer of administrators, in their transaction. */
  private async renew(id: string): Promise<void> {
    const current = await this.relationships.findForChange(id);
    if (current) await this.relationships.change(id, liveStatuses, renewalOf(current, new Date()));
  }

  private async suspendUnanswered(seen: Relationship): Promise<void> {
    const { id } = seen;
    const change = { status: 'suspended', reason: 'unanswered' } as const;
    await this.database.transaction(async () => {
      if (!(await this.relationships.lockUnchanged(seen))) return;
      if (!(await this.relationships.change(id, ['active'], change))) return;
      await this.audit.record({ type: 'representation.changed', outcome: 'success', subject: id, detail: change });
    });
  }
}
