/** Rules `acting`, `ages`, `above-ages` and `chosen-kinds`: who may act for a patient, and how far (decision 0137). */
import { mayHaveCategory } from './levels.js';
import { Refused } from './verdict.js';
import {
  type Facts,
  type Level,
  type Relationship,
  type Representation,
  type Step,
  type Token,
  type Without,
  zones,
} from './world.js';

/** The token with what its relationship opens at this moment. */
export function actingToken(token: Token, representation: Representation | undefined): Token {
  const { relationship: used, patient, user } = token;
  const guarded = representation ? { ...token, guards: true } : token;
  if (!used) return guarded;
  const levels = representation && levelsOn(dayAt(used.at, used.zone), used.relationship, used.facts, representation);
  if (!levels || patient === undefined) throw new Refused('acting', 401);
  const person = user === undefined ? {} : { person: user };
  return { ...guarded, acting: { patient, levels, basis: used.relationship.basis, ...person } };
}

/** Rule `ages`: the day that it is in a time zone. */
function dayAt(at: string, zone: string): string {
  return new Date(Date.parse(at) + (zones[zone] ?? Number.NaN) * 60_000).toISOString().slice(0, 10);
}

/** Rule `protected`: what some level or basis excludes; undefined where no account may act for a patient. */
export function protectedBy(
  representation: Representation | undefined,
): Pick<Without, 'categories' | 'codes'> | undefined {
  if (!representation) return undefined;
  const { levels, bases, sensitive } = representation;
  const excluded = [
    { ...sensitive, codes: [] },
    ...Object.values(levels).map(({ without }) => without),
    ...Object.values(bases).map(({ keptPrivate }) => keptPrivate),
  ];
  return {
    categories: excluded.flatMap(({ categories }) => categories),
    codes: excluded.flatMap(({ codes }) => codes),
  };
}

/** The levels that all have to permit; undefined for a relationship by which nothing is permitted on this day. */
function levelsOn(
  day: string,
  relationship: Relationship,
  facts: Facts,
  representation: Representation,
): Level[] | undefined {
  const { bases, levels } = representation;
  const basis = bases[relationship.basis];
  if (!basis || !isInForce(relationship, day) || facts.isInactive || facts.isReplaced) return undefined;
  if (facts.isDeceased && basis.afterDeath === 'ends') return undefined;
  const steps = basis.ages.length === 0 ? [] : stepsOn(day, facts.birthDate, basis.ages);
  const isDecided = relationship.isUndated && facts.birthDate === undefined;
  if (!steps && !isDecided) return undefined;
  const names: Pick<Relationship, 'level' | 'chosen'>[] = [relationship];
  for (const step of steps ?? []) {
    if (step.level === 'ends' || step.level === 'not-possible') return undefined;
    if (step.agreement && !relationship.agreed.includes(step.from)) return undefined;
    const { above } = relationship;
    const isAbove = above?.step === step.from && (above.until === undefined || day <= above.until);
    // Rule `above-ages`.
    const { level, chosen } = isAbove ? above : { level: step.level, chosen: undefined };
    if (level !== undefined) names.push({ level, ...(chosen && { chosen }) });
  }
  const found = names.flatMap(({ level: name, chosen }) => {
    const level = levels[name];
    return level ? [withChosen(withPrivate(level, basis.keptPrivate), chosen, representation)] : [];
  });
  return found.length < names.length ? undefined : found;
}

/** A relationship that was suspended for what the record said is decided by what the record says. */
function isInForce({ status, reason, start = '0', end = '9' }: Relationship, day: string): boolean {
  const isDecidedByRecord = status === 'suspended' && (reason === 'deceased' || reason === 'agreement');
  return (status === 'active' || isDecidedByRecord) && start <= day && day <= end;
}

/** What a basis keeps private is private at each level. */
function withPrivate(level: Level, own: Without): Level {
  const lists = ['types', 'categories', 'securityLabels', 'codes'] as const;
  const without = Object.fromEntries(lists.map((list) => [list, [...level.without[list], ...own[list]]]));
  return { ...level, without: without as unknown as Without };
}

/**
 * The steps of every age that is possible: of a date without a day each day counts, and of 29 February two. Undefined
 * if the date is none, or if the patient may be younger than the first step.
 */
function stepsOn(day: string, birthDate: string | undefined, ages: readonly Step[]): Step[] | undefined {
  const birthdays = birthdaysOf(birthDate).filter((one) => one <= day);
  const possible = birthdays.flatMap((one) => agesOn(day, one));
  if (possible.length === 0 || (birthDate !== undefined && birthdaysOf(birthDate)[0] === undefined)) return undefined;
  const steps = possible.map(
    (age) => ages.filter(({ from }) => from <= age).at(-1) ?? { from: -1, level: 'not-possible' },
  );
  return ages.filter((step) => steps.includes(step)).concat(steps.filter(({ from }) => from < 0).slice(0, 1));
}

const known = new Map<string, readonly string[]>();

/** All days that a date can mean, reckoned once. */
function birthdaysOf(date = ''): readonly string[] {
  const days = known.get(date) ?? daysIn(date);
  known.set(date, days);
  return days;
}

function daysIn(date: string): string[] {
  const days: string[] = [];
  if (!/^[1-9]\d{3}(-\d\d(-\d\d)?)?$/.test(date)) return days;
  for (const one = new Date(`${date.slice(0, 4)}-01-01T00:00:00Z`); ; one.setUTCDate(one.getUTCDate() + 1)) {
    const text = one.toISOString().slice(0, 10);
    if (!text.startsWith(date.slice(0, 4))) return days;
    if (text.startsWith(date)) days.push(text);
  }
}

function agesOn(day: string, birthday: string): number[] {
  const [year, today] = [Number(day.slice(0, 4)), day.slice(5)];
  const years = year - Number(birthday.slice(0, 4));
  const turns = birthday.slice(5);
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  const birthdays = turns === '02-29' && !isLeap ? ['02-28', '03-01'] : [turns];
  return birthdays.map((one) => (today < one ? years - 1 : years)).map((age) => Math.max(age, 0));
}

/** Of a level that permits everything these can be chosen, and what levels name of other types. */
const ofEverything = [
  ...['Appointment', 'MedicationRequest', 'AllergyIntolerance', 'Immunization', 'Observation?category=laboratory'],
  ...['Observation?category=vital-signs', 'Condition', 'Procedure', 'DiagnosticReport', 'Encounter', 'CarePlan'],
  ...['DocumentReference', 'Claim', 'contact-details'],
];

const typeOf = (kind: string) => kind.replace(/[?.].*/, '');

/** Rule `chosen-kinds`: what is left of a level of which single kinds were chosen (decision 0170). */
function withChosen(
  level: Level,
  chosen: readonly string[] | undefined,
  { levels, sensitive }: Pick<Representation, 'levels' | 'sensitive'>,
): Level {
  if (!chosen) return level;
  const named = Object.values(levels).flatMap(({ kinds }) => (kinds === 'full' ? [] : kinds));
  const sensitiveKinds = [
    ...sensitive.types,
    ...sensitive.categories.map((one) => one.replace('/', '?category=')),
    ...sensitive.securityLabels.map((label) => `?_security=${label}`),
  ];
  const { kinds: own } = level;
  const isOwn = (kind: string) =>
    own === 'full'
      ? ofEverything.includes(kind) ||
        named.some((one) => one === kind && !ofEverything.map(typeOf).includes(typeOf(one)))
      : own.includes(kind);
  /** A sensitive part of what a level names. */
  const isPart = (kind: string) =>
    sensitiveKinds.includes(kind) &&
    (own === 'full' || own.includes(typeOf(kind)) || own.some((one) => isAmong(one, kind)));
  const kinds = chosen.filter(
    (kind) => !/\./.test(kind) && (isOwn(kind) || isPart(kind)) && !isKeptPrivate(kind, level.without),
  );
  const files = own === 'full' ? [] : own.filter((kind) => /\./.test(kind) && kinds.map(typeOf).includes(typeOf(kind)));
  const isOut = (kind: string) => !chosen.some((one) => one === kind || isAmong(one, kind));
  // A category that the level does not have is not chosen.
  const isCategoryOut = (one: string) => {
    const [type = '', code = ''] = one.split('/');
    return isOut(`${type}?category=${code}`) || !mayHaveCategory(level, type, code);
  };
  const without = {
    types: sensitive.types.filter((type) => !chosen.some((kind) => typeOf(kind) === type)),
    categories: sensitive.categories.filter(isCategoryOut),
    securityLabels: sensitive.securityLabels.filter((label) => isOut(`?_security=${label}`)),
  };
  return {
    kinds: [...kinds, ...files],
    change: [],
    without: {
      types: [...level.without.types, ...without.types],
      categories: [...level.without.categories, ...without.categories],
      securityLabels: [...level.without.securityLabels, ...without.securityLabels],
      codes: level.without.codes,
    },
  };
}

/** True if a kind with several values has that of another one. */
function isAmong(kind: string, one: string): boolean {
  const [base, values = ''] = kind.split('=');
  const [otherBase, value = ''] = one.split('=');
  return base === otherBase && values.split(',').includes(value);
}

/** True if the level keeps all of the kind private. */
function isKeptPrivate(kind: string, { types, categories, securityLabels }: Without): boolean {
  const [, label] = kind.split('?_security=');
  if (label !== undefined) return securityLabels.some((one) => one === label || label.endsWith(`|${one}`));
  const [, values = ''] = kind.split('?category=');
  const isOut = (value: string) => categories.includes(`${typeOf(kind)}/${value.replace(/.*\|/, '')}`);
  return types.includes(typeOf(kind)) || (values !== '' && values.split(',').every(isOut));
}
