import { type AgeStep, ends, notPossible, stepsOn } from '../ages.js';
import { isLifted, limitOf } from '../decision.js';
import type { LevelRule } from '../level.js';
import { isAbove } from '../level-order.js';
import type { AboveTable, Relationship } from '../relationship.js';

/** A level that the patient may give. */
interface LevelChoice {
  level: string;
  /** True if it permits anything that is not permitted now. */
  isMore: boolean;
  /** The age step of the relationship that it exceeds. */
  aboveTable: AboveTable | null;
}

/** The levels to which a relationship can be changed, next to the present one. */
export interface LevelChoices {
  /** Id of the level that counts: of the relationship and its age table the one that permits less. */
  present: string;
  /** Ids of the levels that the age table leaves. */
  limits: string[];
  /** True if it exceeds the age table by an approval, or as the patient gave it. */
  isAboveTable: boolean;
  choices: LevelChoice[];
  /** Ids of levels that could be given if the FHIR server did not give less. */
  aboveServer: string[];
}

/** The day and the rules by which levels can be chosen. */
export interface ChoiceRules {
  /** `YYYY-MM-DD` in the tenant's time zone. */
  day: string;
  birthDate: string | undefined;
  /** The age table of the relationship's basis, and the levels with what the basis keeps private. */
  ages: readonly AgeStep[];
  levels: readonly LevelRule[];
  /** The age table of the basis that patients choose themselves; undefined if there is none. */
  offered: readonly AgeStep[] | undefined;
  /** A level of that basis. */
  offeredLevel: (id: string) => LevelRule | undefined;
  /** What the FHIR server gives, of a relationship that it made. */
  most?: LevelRule | undefined;
}

/**
 * The levels that a patient may give to a representative, of any basis: up to what the patient may give to an invited
 * user at this age. Where the birth date does not tell the age, only what is less.
 */
export function levelChoices(
  relationship: Pick<Relationship, 'level' | 'aboveTable'>,
  { day, birthDate, ages, levels, offered, offeredLevel, most }: ChoiceRules,
): LevelChoices {
  const named = (id: string | undefined) => levels.find((one) => one.id === id);
  const steps = ages.length === 0 ? [] : (stepsOn(birthDate, ages, day) ?? []);
  const limits = steps.flatMap((step) => named(limitOf(step, relationship, day)) ?? []);
  const own = named(relationship.level);
  const now = own ? [own, ...limits] : limits;
  const least = own && now.find((one) => now.every((other) => !isAbove(one, other)));
  const present = least?.id ?? relationship.level;
  const isAboveTable = steps.some((step) => isLifted(step, relationship, day));
  const found = { present, isAboveTable, limits: limits.map(({ id }) => id) };
  const gives = offered?.length === 0 ? [] : offered && stepsOn(birthDate, offered, day);
  if (!offered || gives?.some(({ level }) => level === ends || level === notPossible))
    return { ...found, choices: [], aboveServer: [] };
  const isOffered = (rule: LevelRule) =>
    gives?.every(({ level }) => {
      const limit = level === undefined ? undefined : offeredLevel(level);
      return level === undefined || (limit !== undefined && !isAbove(rule, limit));
    }) ?? false;
  const choices = levels.flatMap((rule): LevelChoice[] => {
    // A level that is not configured any more permits nothing.
    const isMore = !own || now.some((one) => isAbove(rule, one));
    if (isMore && !isOffered(rule)) return [];
    const exceeded = steps.find(({ level }) => {
      const limit = named(level);
      return limit !== undefined && isAbove(rule, limit);
    });
    if (!exceeded) return [{ level: rule.id, isMore, aboveTable: null }];
    // A level is above one step; while the exact age is unknown, there are several.
    if (steps.length > 1) return [];
    const isApproved = !isMore && isLifted(exceeded, relationship, day);
    const until = isApproved ? (relationship.aboveTable?.until ?? null) : null;
    return [{ level: rule.id, isMore, aboveTable: { step: exceeded.from, until } }];
  });
  const isAboveServer = ({ level }: LevelChoice) => {
    const rule = named(level);
    return most !== undefined && rule !== undefined && isAbove(rule, most);
  };
  return {
    ...found,
    choices: choices.filter((one) => !isAboveServer(one)),
    aboveServer: choices.filter(isAboveServer).map(({ level }) => level),
  };
}
