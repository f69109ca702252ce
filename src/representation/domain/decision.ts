import { type AgeStep, belowTable, ends, notPossible, stepsOn } from './ages.js';
import type { PatientFacts } from './patient-facts.js';
import { isInPeriod, type Relationship } from './relationship.js';

/** Why an account may not act for a patient now. */
export type RefusalCause =
  | 'off'
  | 'none'
  | 'not-active'
  | 'suspended'
  | 'ended'
  | 'not-begun'
  | 'over'
  | 'not-configured'
  | 'server-missing'
  | 'server-unread'
  | 'record-unread'
  | 'record-gone'
  | 'record-inactive'
  | 'record-replaced'
  | 'deceased'
  | 'birth-date-missing'
  | 'too-young'
  | 'age'
  | 'agreement';

/** Ids of the levels that must all permit, or the cause of a refusal. */
export type Decision = { permitted: true; levels: string[] } | { permitted: false; cause: RefusalCause };

/** The facts by which a relationship is decided on a day. */
export interface Circumstances {
  /** `YYYY-MM-DD` in the tenant's time zone. */
  day: string;
  ages: readonly AgeStep[];
  facts: Pick<PatientFacts, 'birthDate' | 'isDeceased' | 'isActive' | 'replacedBy'>;
  /** True if the basis continues after the patient's death. */
  survivesDeath: boolean;
}

/**
 * Causes that the record decides: a relationship that was suspended for one of them is decided from the record as it is
 * now.
 */
const ofRecord = new Set<Relationship['reason']>(['deceased', 'agreement']);

/** Decides from the relationship alone, before the record is read; undefined if nothing speaks against it. */
export function refusalOf(relationship: Relationship, day: string): RefusalCause | undefined {
  const { status, reason, accountId } = relationship;
  if (accountId === null) return 'ended';
  if (status === 'ended') return 'ended';
  if (status === 'suspended' && !ofRecord.has(reason)) return 'suspended';
  if (status !== 'active' && status !== 'suspended') return 'not-active';
  if (isInPeriod(relationship, day)) return undefined;
  return relationship.start !== null && day < relationship.start ? 'not-begun' : 'over';
}

/** Members of a relationship from which an age table is applied. */
export type Decided = Pick<Relationship, 'level' | 'withoutBirthDate' | 'aboveTable' | 'agreedSteps'>;

/** Decides for a relationship that {@link refusalOf} lets pass. */
export function decide(relationship: Decided, circumstances: Circumstances): Decision {
  const { facts, ages, day, survivesDeath } = circumstances;
  if (!facts.isActive) return refused('record-inactive');
  if (facts.replacedBy !== undefined) return refused('record-replaced');
  if (facts.isDeceased && !survivesDeath) return refused('deceased');
  if (ages.length === 0) return permitted([relationship.level]);
  const steps = stepsOn(facts.birthDate, ages, day);
  if (!steps) {
    const isDecided = relationship.withoutBirthDate && facts.birthDate === undefined;
    return isDecided ? permitted([relationship.level]) : refused('birth-date-missing');
  }
  if (steps.includes(belowTable)) return refused('too-young');
  if (steps.some(({ level }) => level === ends || level === notPossible)) return refused('age');
  const { agreedSteps } = relationship;
  if (steps.some(({ from, agreement }) => agreement === true && !agreedSteps.includes(from))) {
    return refused('agreement');
  }
  const limits = steps.flatMap((step) => limitOf(step, relationship, day) ?? []);
  return permitted([relationship.level, ...limits]);
}

/** Id of the level that limits the relationship at this step; undefined where only its own level does. */
export function limitOf(
  step: AgeStep,
  relationship: Pick<Relationship, 'aboveTable'>,
  day: string,
): string | undefined {
  return isLifted(step, relationship, day) ? relationship.aboveTable?.level : step.level;
}

/** True if two administrators approved, or the patient gave, another level for this step. */
export function isLifted({ from }: AgeStep, { aboveTable }: Pick<Relationship, 'aboveTable'>, day: string): boolean {
  return aboveTable?.step === from && (aboveTable.until === null || day <= aboveTable.until);
}

function permitted(levels: string[]): Decision {
  return { permitted: true, levels: [...new Set(levels)] };
}

function refused(cause: RefusalCause): Decision {
  return { permitted: false, cause };
}
