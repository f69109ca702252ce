import { type AgeStep, dayIn, ends, nextStepAfter, stepsOn } from './ages.js';
import { type Decided, decide } from './decision.js';
import type { LevelRule } from './level.js';
import { isAbove, meetOf } from './level-order.js';
import type { Relationship } from './relationship.js';

/** Days before a change on which both sides are told. */
export const noticeDays = 30;
/** A change that nothing told of on its day is told of later for so many days, and then not any more. */
const lateDays = 7;
/** Days after which a relationship is looked at although nothing is to come: its age table may have changed. */
const lookDays = 30;
/** Days in which a yearly question is answered. */
export const answerDays = 30;

/** Something of which both sides are told once; the key is that of its row. */
export interface TellingStep {
  key: string;
  /** `soon`: it lies ahead; `now`: it has happened. */
  kind: 'soon' | 'now';
  /** The day on which it is told at the earliest; undefined for what no day brings. */
  due?: string;
}

/** The result of a look at a relationship: its news, and the day of the next look. Days are `YYYY-MM-DD`. */
export interface Coming {
  /** The news to tell on this day. */
  steps: TellingStep[];
  /** The day on which the yearly question was or will be asked; undefined for a relationship that has an end. */
  question: string | undefined;
  /** The day of the next look. */
  next: string;
}

/** A day, with the facts on which the changes of a relationship depend. */
export interface OnThisDay {
  /** `YYYY-MM-DD` in the tenant's time zone. */
  day: string;
  /** Days of the decision and of the last confirmation, in the same zone. */
  decidedOn: string;
  renewedOn: string | null;
  ages: readonly AgeStep[];
  birthDate: string | undefined;
}

/**
 * The next changes of a relationship: the end of its period and the next step of the age table, told 30 days before
 * and, of a step, on its day; and the yearly question of one without end. Who began within the 30 days is told at once.
 * Of a step that is not `felt` neither side is told.
 */
export function comingFor(
  { end }: Pick<Relationship, 'end'>,
  on: OnThisDay,
  isFelt: (step: StepDays) => boolean,
): Coming {
  const { day, decidedOn, ages, birthDate } = on;
  const steps: TellingStep[] = [];
  const days = [addDays(day, lookDays)];
  if (end !== null && day <= end) {
    const due = addDays(end, -noticeDays);
    if (due <= day) steps.push({ key: `period:${end}:soon`, kind: 'soon', due });
    days.push(due, addDays(end, 1));
  }
  const ahead = nextStepAfter(birthDate, ages, day);
  if (ahead) {
    const due = addDays(ahead.on, -noticeDays);
    if (due <= day && isFelt(ahead)) steps.push({ key: `age:${ahead.step.from}:${ahead.on}:soon`, kind: 'soon', due });
    days.push(due, ahead.on);
  }
  const reached = nextStepAfter(birthDate, ages, addDays(day, -lateDays));
  if (reached && reached.on <= day && decidedOn < reached.on && isFelt(reached)) {
    steps.push({ key: `age:${reached.step.from}:${reached.on}:now`, kind: 'now', due: reached.on });
  }
  const question = yearlyQuestion({ end }, on);
  if (question !== undefined) days.push(question, addDays(question, answerDays));
  return { steps, question, next: earliest(days.filter((one) => one > day)) };
}

/** The day on which a relationship without end is or was asked about; undefined for one that ends by itself. */
export function yearlyQuestion(
  { end }: Pick<Relationship, 'end'>,
  { day, decidedOn, renewedOn, ages, birthDate }: OnThisDay,
): string | undefined {
  return end === null && !endsByAge(ages, birthDate, day) ? addYear(renewedOn ?? decidedOn) : undefined;
}

/** The step for which the patient agrees, or takes it back: one in force, or one that begins within 30 days. */
export function agreeableSteps(ages: readonly AgeStep[], birthDate: string | undefined, day: string): AgreeableStep[] {
  const inForce = (stepsOn(birthDate, ages, day) ?? []).map((step) => ({ step, on: null }));
  const ahead = nextStepAfter(birthDate, ages, day);
  const soon = ahead && addDays(ahead.on, -noticeDays) <= day ? [ahead] : [];
  return [...inForce, ...soon]
    .filter(({ step }) => step.agreement === true)
    .map(({ step, on }) => ({ step: step.from, on }));
}

/** A step of the age table that needs the agreement of the patient. */
export interface AgreeableStep {
  /** Age from which it holds. */
  step: number;
  /** The day on which it begins; null for one in force. */
  on: string | null;
}

/** The access that an age takes from a representative. */
export interface Loss {
  /** The earliest day of it. */
  on: string;
  /** True if the representative acts no more from then on. */
  ends: boolean;
  /** True if nothing is seen from then on until the patient agrees. */
  needsAgreement: boolean;
  /** The level that permits less than what is seen now; null for the other two. */
  level: LevelRule | null;
}

/** The first day of a step of the age table, and the one from which it is surely in force. */
export interface StepDays {
  on: string;
  surelyOn: string;
}

type Ages = Pick<OnThisDay, 'ages' | 'birthDate'>;
type LevelOf = (id: string) => LevelRule | undefined;

/** The access on a day: the levels that must all permit, or the reason why there is none. */
function seenOn(relationship: Decided, { ages, birthDate }: Ages, day: string, levelOf: LevelOf) {
  const facts = { birthDate, isDeceased: false, isActive: true, replacedBy: undefined };
  const decision = decide(relationship, { day, ages, facts, survivesDeath: false });
  return decision.permitted ? decision.levels.flatMap((id) => levelOf(id) ?? []) : decision.cause;
}

/** The level that takes something of what is seen before. */
function takenBy(before: readonly LevelRule[], then: readonly LevelRule[]): LevelRule | undefined {
  const [first, ...others] = before;
  return first && then.find((limit) => isAbove(meetOf([first, ...others]), limit));
}

/** The change that a step makes for a representative; undefined if the access stays the same. */
export function changeBy(
  relationship: Decided,
  ages: Ages,
  { on, surelyOn }: StepDays,
  levelOf: LevelOf,
): 'less' | 'more' | undefined {
  const [before, first, last] = [addDays(on, -1), on, surelyOn].map((day) => seenOn(relationship, ages, day, levelOf));
  if (!Array.isArray(first)) {
    if (before !== first) return 'less';
    return Array.isArray(last) ? 'more' : undefined;
  }
  if (!Array.isArray(before)) return 'more';
  if (takenBy(before, first)) return 'less';
  return Array.isArray(last) && takenBy(last, before) ? 'more' : undefined;
}

/** The next step of the age table that changes what a representative sees. */
export function nextChange(
  relationship: Decided,
  { day, ...ages }: Ages & Pick<OnThisDay, 'day'>,
  levelOf: LevelOf,
): (StepDays & { step: AgeStep; change: 'less' | 'more' }) | undefined {
  const { birthDate, ages: steps } = ages;
  for (let ahead = nextStepAfter(birthDate, steps, day); ahead; ahead = nextStepAfter(birthDate, steps, ahead.on)) {
    const change = changeBy(relationship, ages, ahead, levelOf);
    if (change) return { ...ahead, change };
  }
  return undefined;
}

/**
 * The first step of the age table that takes something away. Steps are passed over that leave the representative what
 * is seen now, or give more.
 */
export function nextLoss(
  relationship: Decided,
  { day, ages, birthDate }: Ages & Pick<OnThisDay, 'day'>,
  levelOf: LevelOf,
): Loss | undefined {
  const seen = (at: string) => seenOn(relationship, { ages, birthDate }, at, levelOf);
  const present = seen(day);
  const now = Array.isArray(present) ? present : [levelOf(relationship.level) ?? []].flat();
  for (let ahead = nextStepAfter(birthDate, ages, day); ahead; ahead = nextStepAfter(birthDate, ages, ahead.on)) {
    const { on } = ahead;
    const then = seen(on);
    if (!Array.isArray(then)) {
      const needsAgreement = then === 'agreement';
      return { on, ends: !needsAgreement, needsAgreement, level: null };
    }
    const level = takenBy(now, then);
    if (level) return { on, ends: false, needsAgreement: false, level };
  }
  return undefined;
}

/** True in the 30 days before its last day, and on it. */
export function isRenewable({ end, status }: Pick<Relationship, 'end' | 'status'>, day: string): boolean {
  return status === 'active' && end !== null && day <= end && addDays(end, -noticeDays) <= day;
}

/** True if the age table ends the relationship some day. */
export function endsByAge(ages: readonly AgeStep[], birthDate: string | undefined, day: string): boolean {
  const inForce = stepsOn(birthDate, ages, day);
  const least = Math.min(...(inForce ?? []).map(({ from }) => from));
  return inForce !== undefined && ages.some(({ from, level }) => level === ends && from >= least);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The same day of the next year; 1 March after 29 February. */
function addYear(day: string): string {
  const year = Number(day.slice(0, 4)) + 1;
  const same = `${String(year).padStart(4, '0')}${day.slice(4)}`;
  return day.endsWith('02-29') ? `${year}-03-01` : same;
}

/** The first moment of a day in a time zone. */
export function startOf(day: string, timeZone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const quarter = 15 * 60_000;
  // Zones differ from UTC by whole quarters of an hour, by 14 hours at most.
  let [early, late] = [utc - 15 * 4 * quarter, utc + 15 * 4 * quarter];
  while (late - early > quarter) {
    const middle = early + Math.floor((late - early) / quarter / 2) * quarter;
    if (dayIn(new Date(middle), timeZone) < day) early = middle;
    else late = middle;
  }
  return new Date(late);
}

function earliest(days: readonly string[]): string {
  return days.reduce((one, other) => (other < one ? other : one));
}
