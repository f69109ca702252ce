/** A row of an age table: what holds from this age on, until the next row. */
export interface AgeStep {
  /** Age in completed years. */
  from: number;
  /** Id of a level, `not-possible`, or `ends`; without it the relationship's own level is the only limit. */
  level?: string | undefined;
  /** True if the patient must have agreed to this step. */
  agreement?: boolean | undefined;
}

/** Results of an age step that are not levels. */
export const notPossible = 'not-possible';
export const ends = 'ends';

/** An age below the first step: no relationship is possible. */
export const belowTable: AgeStep = { from: 0, level: notPossible };

/** Ages in completed years that are possible on a day. */
interface AgeRange {
  least: number;
  most: number;
}

interface Day {
  year: number;
  month: number;
  day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day at this time in a time zone: `YYYY-MM-DD`. */
export function dayIn(at: Date, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  return format.format(at);
}

/**
 * The steps of the table that may be in force on this day (`YYYY-MM-DD`), those of lower ages first. There are several
 * while the exact age is unknown: all of them must permit, so that what takes access away begins on the earliest
 * possible day and what gives it on the latest. Undefined if the birth date is none of FHIR (`YYYY`, `YYYY-MM`,
 * `YYYY-MM-DD`), is missing, or lies in the future.
 */
export function stepsOn(birthDate: string | undefined, steps: readonly AgeStep[], day: string): AgeStep[] | undefined {
  const range = agesOn(birthDate, day);
  if (!range) return undefined;
  const reached = steps.filter(({ from }) => from <= range.most);
  const isPast = (step: AgeStep) => reached.some(({ from }) => from > step.from && from <= range.least);
  const possible = reached.filter((step) => !isPast(step));
  return possible.some(({ from }) => from <= range.least) ? possible : [belowTable, ...possible];
}

/** Ages that someone with this birth date may have; undefined for a date that cannot be used. */
export function agesOn(birthDate: string | undefined, day: string): AgeRange | undefined {
  const born = birthDays(birthDate);
  const today = born && dayOf(day);
  if (!born || !today || compare(born.earliest, today) > 0) return undefined;
  // A patient born on 29 February is a year older from 28 February on at the earliest, from 1 March on at the latest.
  return {
    least: Math.max(0, completedYears(born.latest, today, { month: 3, day: 1 })),
    most: completedYears(born.earliest, today, { month: 2, day: 28 }),
  };
}

/**
 * The next step above the ages of `day`, with the first day on which it may be in force and the one from which it
 * surely is: they differ for a date without a day, and for 29 February. Undefined if there is none.
 */
export function nextStepAfter(
  birthDate: string | undefined,
  steps: readonly AgeStep[],
  day: string,
): { on: string; surelyOn: string; step: AgeStep } | undefined {
  const range = agesOn(birthDate, day);
  if (!range) return undefined;
  const [step] = steps.filter(({ from }) => from > range.most).toSorted((one, other) => one.from - other.from);
  const days = step && daysOfAge(birthDate, step.from);
  return days && { on: days.first, surelyOn: days.last, step };
}

/** The first and the last day on which an age in completed years may be reached; undefined for a date that is none. */
export function daysOfAge(birthDate: string | undefined, age: number): { first: string; last: string } | undefined {
  const born = birthDays(birthDate);
  if (!born) return undefined;
  const { earliest, latest } = born;
  return {
    first: textOf(birthdayIn(earliest, earliest.year + age, { month: 2, day: 28 })),
    last: textOf(birthdayIn(latest, latest.year + age, { month: 3, day: 1 })),
  };
}

/** The first and the last day that a FHIR date can mean (FHIR R4 §2.24.0.1 date). */
function birthDays(date: string | undefined): { earliest: Day; latest: Day } | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(date ?? '') ?? [];
  if (year === undefined || year === '0000') return undefined;
  const first = { year: Number(year), month: Number(month ?? 1), day: Number(day ?? 1) };
  if (first.month < 1 || first.month > 12 || first.day < 1 || first.day > daysIn(first)) return undefined;
  if (day !== undefined) return { earliest: first, latest: first };
  const last = { ...first, month: month === undefined ? 12 : first.month };
  return { earliest: first, latest: { ...last, day: daysIn(last) } };
}

function completedYears(born: Day, today: Day, inOtherYears: Pick<Day, 'month' | 'day'>): number {
  const years = today.year - born.year;
  return compare(today, birthdayIn(born, today.year, inOtherYears)) < 0 ? years - 1 : years;
}

/** The birthday in a year; `inOtherYears` is that of 29 February in years that have none. */
function birthdayIn({ month, day }: Day, year: number, inOtherYears: Pick<Day, 'month' | 'day'>): Day {
  return day > daysIn({ year, month }) ? { year, ...inOtherYears } : { year, month, day };
}

function daysIn({ year, month }: Pick<Day, 'year' | 'month'>): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function dayOf(text: string): Day | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return year === undefined ? undefined : { year: Number(year), month: Number(month), day: Number(day) };
}

function textOf({ year, month, day }: Day): string {
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
}

function compare(one: Day, other: Day): number {
  return one.year - other.year || one.month - other.month || one.day - other.day;
}
