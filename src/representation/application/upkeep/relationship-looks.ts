import { Injectable } from '@nestjs/common';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { dayIn } from '../../domain/ages.js';
import { addDays, comingFor, startOf } from '../../domain/coming-steps.js';
import type { DueRelationship, Looked } from '../../domain/due-relationships.js';
import type { LevelRule } from '../../domain/level.js';
import type { PatientFacts } from '../../domain/patient-facts.js';
import type { Relationship } from '../../domain/relationship.js';
import { PatientRecords } from '../patient-records.js';
import { RepresentationRules } from '../representation-rules.js';
import { RepresentedAccess, type RepresentedDecision } from '../represented-access.js';
import { RelationshipTelling } from './relationship-telling.js';

/** Days after which a death in the record ends the relationship, unless the record takes it back. */
const deceasedDays = 30;

/** The findings of a look, and the time of the next one; undefined if it is to be repeated within an hour. */
type Look = { next: Date; looked: Looked; levels: LevelRule[] | null } | undefined;

/** Looks at one relationship: ends what is over, and tells both sides of what comes. */
@Injectable()
export class RelationshipLooks {
  constructor(
    private readonly access: RepresentedAccess,
    private readonly records: PatientRecords,
    private readonly accounts: UserDirectory,
    private readonly rules: RepresentationRules,
    private readonly telling: RelationshipTelling,
  ) {}

  /** False while no account can act for a patient here. */
  get isOn(): boolean {
    return this.rules.isOn;
  }

  async look({ relationship, looked }: DueRelationship, at: Date): Promise<Look> {
    if (await this.hasLeft(relationship)) {
      await this.telling.end(relationship, { reason: 'representative-gone', birthDate: undefined, at });
      return undefined;
    }
    // A look that ended before would leave what it found to the next one, in up to 30 days.
    const decision = await this.access.decideAndStore(relationship, at);
    if (!decision) return undefined;
    const record = await this.records.forPatient(relationship, at);
    if (!('facts' in record)) return undefined;
    // The end is stored, and told with it.
    if (!decision.permitted && decision.cause === 'age') return undefined;
    const { facts } = record;
    if (await this.endAfterDeath(relationship, facts, at)) return undefined;
    const found: Looked = {
      birthDate: facts.birthDate ?? null,
      levels: decision.permitted ? decision.levels.map(({ id }) => id) : null,
    };
    await this.tellCorrection(relationship, { before: looked, found, decision, at });
    const next = await this.tellSteps(relationship, facts, at);
    return { next, looked: found, levels: decision.permitted ? decision.levels : null };
  }

  /** True for an account that does not exist any more, will be deleted, or is not one of the patient's tenant. */
  async hasLeft({ accountId, tenant }: Relationship): Promise<boolean> {
    const account = accountId === null ? undefined : await this.accounts.findById(accountId);
    if (!account || (await this.accounts.isLocked(account.id))) return true;
    return tenant !== undefined && !account.claims.some(({ name, value }) => name === 'tenant' && value === tenant);
  }

  private async endAfterDeath(relationship: Relationship, { birthDate }: PatientFacts, at: Date): Promise<boolean> {
    const { status, reason, suspendedAt } = relationship;
    if (status !== 'suspended' || reason !== 'deceased' || !suspendedAt) return false;
    if (at.getTime() - suspendedAt.getTime() < deceasedDays * 86_400_000) return false;
    const decision = await this.access.decide(relationship, at);
    if (decision.permitted || decision.cause !== 'deceased') return false;
    await this.telling.end(relationship, { reason: 'deceased', birthDate, at });
    return true;
  }

  private async tellCorrection(
    relationship: Relationship,
    { before, found, decision, at }: { before: Looked | null; found: Looked; decision: RepresentedDecision; at: Date },
  ): Promise<void> {
    const { birthDate, levels } = found;
    if (!before?.levels || before.birthDate === birthDate) return;
    const takesAway = levels ? levels.some((level) => !before.levels?.includes(level)) : isOfBirthDate(decision);
    if (!takesAway) return;
    const timeZone = this.rules.timeZone(relationship.tenant);
    const step = { key: `correction:${birthDate ?? ''}`, kind: 'now' } as const;
    await this.telling.tell(relationship, step, { birthDate: birthDate ?? undefined, at, timeZone });
  }

  /** Returns the time of the next look. */
  private async tellSteps(relationship: Relationship, { birthDate }: PatientFacts, at: Date): Promise<Date> {
    const { tenant, status, reason } = relationship;
    const timeZone = this.rules.timeZone(tenant);
    const today = this.rules.onDay(relationship, birthDate, at);
    const { day } = today;
    const coming = comingFor(relationship, today, (step) => this.rules.isFelt(relationship, today, step));
    let next = coming.next;
    const counts = status === 'active' || (status === 'suspended' && reason === 'agreement');
    if (counts) {
      for (const step of coming.steps) await this.telling.tell(relationship, step, { birthDate, at, timeZone });
      if (coming.question !== undefined && coming.question <= day) {
        const told = { question: coming.question, day, timeZone, birthDate, at };
        const due = await this.telling.askYearly(relationship, told);
        next = due < next ? due : next;
      }
    }
    if (reason === 'deceased' && relationship.suspendedAt) {
      const end = addDays(dayIn(relationship.suspendedAt, timeZone), deceasedDays + 1);
      next = end > day && end < next ? end : next;
    }
    return startOf(next, timeZone);
  }
}

/** An end by the age table is told by itself. */
function isOfBirthDate(decision: RepresentedDecision): boolean {
  return !decision.permitted && ['birth-date-missing', 'too-young', 'agreement'].includes(decision.cause);
}
