import { type AgeStep, agesOn, daysOfAge, ends, notPossible, stepsOn } from './ages.js';
import { endsByAge, type OnThisDay } from './coming-steps.js';
import { decide, refusalOf } from './decision.js';
import type { PatientFacts } from './patient-facts.js';
import { liveStatuses, type Relationship } from './relationship.js';

/** News of a relationship that a page tells a patient once: a user acts for a young patient, or age has ended it. */
export type News = 'acts' | 'ended';

/** The keys of their rows, next to those of mails. */
export const newsKeys: Record<News, string> = { acts: 'page:acts', ended: 'page:ended' };

/** An end is told of for as long as its card is shown. */
const toldMs = 365 * 24 * 3_600_000;

interface Circumstances extends OnThisDay {
  now: Date;
  facts: PatientFacts;
  /** The age from which patients are told. */
  ownAccountFrom: number;
}

/** True if there may be news of it, before the record of the patient is read. */
export function mayBeNews({ status, reason, endedAt }: Relationship, now: Date): boolean {
  if (liveStatuses.includes(status)) return true;
  return status === 'ended' && reason === 'age' && endedAt !== null && now.getTime() - endedAt.getTime() < toldMs;
}

/**
 * The news of a relationship for its patient; undefined without any. Of those who act, a patient is told whose age ends
 * it some day: an adult has chosen who acts, or a court has.
 */
export function newsOf(relationship: Relationship, on: Circumstances): News | undefined {
  const { now, facts, day, ages, birthDate, ownAccountFrom } = on;
  const age = agesOn(birthDate, day);
  if (!mayBeNews(relationship, now) || (age !== undefined && age.least < ownAccountFrom)) return undefined;
  if (relationship.status === 'ended') return 'ended';
  if (refusalOf(relationship, day) !== undefined) return undefined;
  const decision = decide(relationship, { day, ages, facts, survivesDeath: false });
  // No request and no look has stored it yet.
  if (!decision.permitted) return decision.cause === 'age' ? 'ended' : undefined;
  return endsByAge(ages, birthDate, day) ? 'acts' : undefined;
}

/** The age from which on the table permits no acting on this day; undefined if it does not refuse for the age. */
export function reachedAge(
  ages: readonly AgeStep[],
  birthDate: string | undefined,
  day: string,
): { age: number; on: string; isExact: boolean } | undefined {
  const reached = (stepsOn(birthDate, ages, day) ?? []).find(({ level }) => level === ends || level === notPossible);
  const days = reached && reached.from > 0 ? daysOfAge(birthDate, reached.from) : undefined;
  return reached && days && { age: reached.from, on: days.first, isExact: days.first === days.last };
}
