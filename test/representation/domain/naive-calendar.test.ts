import fc from 'fast-check';
import { type AgeStep, dayIn, ends, notPossible } from '../../../src/representation/domain/ages.js';
import { type Decision, decide } from '../../../src/representation/domain/decision.js';
import type { AboveTable } from '../../../src/representation/domain/relationship.js';
import { runs } from '../../support/runs.js';

/** A calendar that counts birthdays one after the other, for each day that a birth date can mean. */
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

function daysOfYear(year: number): string[] {
  const first = Date.UTC(year, 0, 1);
  return Array.from({ length: isLeap(year) ? 366 : 365 }, (_, day) => isoDay(first + day * 86_400_000));
}

/** All ages that are possible: of each day of birth that is meant, and both days of one on 29 February. */
function possibleAges(birthDate: string, today: string): Set<number> {
  const year = Number(birthDate.slice(0, 4));
  const births = daysOfYear(year).filter((day) => day.startsWith(birthDate) && day <= today);
  const agesOf = (birth: string, inOtherYears: string) => {
    let age = 0;
    for (let next = year + 1; next <= Number(today.slice(0, 4)); next += 1) {
      const day = birth.endsWith('02-29') && !isLeap(next) ? inOtherYears : birth.slice(5);
      if (`${next}-${day}` <= today) age += 1;
    }
    return age;
  };
  return new Set(births.flatMap((birth) => [agesOf(birth, '02-28'), agesOf(birth, '03-01')]));
}

interface Case {
  level: string;
  table: readonly AgeStep[];
  birthDate: string | undefined;
  aboveTable: AboveTable | null;
  agreedSteps: number[];
}

/** What a reader of the table would say of this day. */
function naive({ level, table, birthDate, aboveTable, agreedSteps }: Case, today: string): Decision {
  const ages = birthDate === undefined ? new Set<number>() : possibleAges(birthDate, today);
  if (ages.size === 0) return { permitted: false, cause: 'birth-date-missing' };
  const steps = [...ages].map((age) => table.filter(({ from }) => from <= age).at(-1));
  if (steps.some((step) => step === undefined)) return { permitted: false, cause: 'too-young' };
  const known = steps.flatMap((step) => step ?? []);
  if (known.some((step) => step.level === ends || step.level === notPossible))
    return { permitted: false, cause: 'age' };
  if (known.some((step) => step.agreement && !agreedSteps.includes(step.from))) {
    return { permitted: false, cause: 'agreement' };
  }
  const limits = known.flatMap((step) => {
    const isAbove = aboveTable?.step === step.from && (aboveTable.until === null || today <= aboveTable.until);
    return (isAbove ? aboveTable.level : step.level) ?? [];
  });
  return { permitted: true, levels: [...new Set([level, ...limits])].toSorted() };
}

const zones = Intl.supportedValuesOf('timeZone');
const day = fc.oneof(
  fc.date({ min: new Date('1990-01-01'), max: new Date('2041-12-31'), noInvalidDate: true }).map((at) => isoDay(+at)),
  fc
    .tuple(fc.integer({ min: 1990, max: 2041 }), fc.constantFrom('01-01', '02-27', '02-28', '02-29', '03-01', '12-31'))
    .map(([year, rest]) => `${year}-${rest === '02-29' && !isLeap(year) ? '03-01' : rest}`),
);
const level = fc.constantFrom(undefined, 'full', 'basics', 'daily', notPossible, ends);
const table = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 })
  .chain((ages) =>
    fc.tuple(
      ...ages
        .toSorted((one, other) => one - other)
        .map((from) => fc.record({ from: fc.constant(from), level, agreement: fc.boolean() })),
    ),
  );

it('What may be seen on a day is what a naive calendar says, for all dates, time zones and tables', () => {
  fc.assert(
    fc.property(
      fc.record({
        level: fc.constantFrom('full', 'daily'),
        table,
        birthDate: fc.option(
          fc.tuple(day, fc.constantFrom(4, 7, 10, 10)).map(([birth, length]) => birth.slice(0, length)),
          { nil: undefined, freq: 20 },
        ),
        aboveTable: fc.option(
          fc.record({
            step: fc.integer({ min: 0, max: 30 }),
            until: fc.option(day, { nil: null }),
            level: fc.constantFrom(undefined, 'full'),
          }),
          { nil: null },
        ),
        agreedSteps: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 }),
      }),
      day,
      fc.integer({ min: -26 * 3600, max: 26 * 3600 }),
      fc.constantFrom(...zones),
      (one, date, seconds, timeZone) => {
        const at = new Date(Date.parse(`${date}T00:00:00Z`) + seconds * 1000);
        const [today] = at.toLocaleString('sv-SE', { timeZone }).split(' ') as [string];
        const { level: own, table: ages, birthDate, aboveTable, agreedSteps } = one;
        const decided = decide(
          { level: own, withoutBirthDate: false, aboveTable, agreedSteps },
          {
            ...{ day: dayIn(at, timeZone), ages, survivesDeath: false },
            facts: { birthDate, isDeceased: false, isActive: true, replacedBy: undefined },
          },
        );
        const sorted = decided.permitted ? { ...decided, levels: decided.levels.toSorted() } : decided;
        expect(sorted).toEqual(naive(one, today));
      },
    ),
    runs(1500, 200_000),
  );
});

/** The same moment, and two tenants. */
it.each([
  ['2026-11-29T09:59:59Z', 'Pacific/Honolulu', '2026-11-28', 'Pacific/Auckland', '2026-11-29'],
  ['2026-11-29T10:00:00Z', 'Pacific/Honolulu', '2026-11-29', 'Pacific/Auckland', '2026-11-29'],
  ['2026-11-29T11:00:00Z', 'Pacific/Honolulu', '2026-11-29', 'Pacific/Auckland', '2026-11-30'],
  ['2026-11-29T10:30:00Z', 'Pacific/Kiritimati', '2026-11-30', 'Pacific/Pago_Pago', '2026-11-28'],
  // The clock is put back from 24:00 to 23:00, or forward from 0:00 to 1:00.
  ['2026-04-05T02:59:59Z', 'America/Santiago', '2026-04-04', 'Europe/London', '2026-04-05'],
  ['2026-04-05T04:00:00Z', 'America/Santiago', '2026-04-05', 'Europe/London', '2026-04-05'],
  ['2026-09-06T03:59:59Z', 'America/Santiago', '2026-09-05', 'Europe/London', '2026-09-06'],
  ['2026-09-06T04:00:00Z', 'America/Santiago', '2026-09-06', 'Europe/London', '2026-09-06'],
  ['2026-03-28T23:59:59Z', 'Europe/London', '2026-03-28', 'Europe/Amsterdam', '2026-03-29'],
  ['2026-10-24T22:00:00Z', 'Europe/London', '2026-10-24', 'Europe/Amsterdam', '2026-10-25'],
])('At %s it is in %s %s and in %s %s', (at, one, first, other, second) => {
  expect([dayIn(new Date(at), one), dayIn(new Date(at), other)]).toEqual([first, second]);
});
