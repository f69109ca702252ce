import fc from 'fast-check';
import {
  type AgeStep,
  agesOn,
  belowTable,
  dayIn,
  nextStepAfter,
  stepsOn,
} from '../../../src/representation/domain/ages.js';
import { runs } from '../../support/runs.js';

const child: AgeStep = { from: 0, level: 'full' };
const teen: AgeStep = { from: 13, level: 'basics' };
const adult: AgeStep = { from: 18, level: 'ends' };
const table = [child, teen, adult];

describe('A day', () => {
  it('is that of the time zone', () => {
    const at = new Date('2026-03-01T23:30:00Z');
    expect(dayIn(at, 'Europe/Amsterdam')).toBe('2026-03-02');
    expect(dayIn(at, 'America/New_York')).toBe('2026-03-01');
  });
});

describe('The steps of an age table', () => {
  it.each([
    ['the day before a birthday', '2013-05-10', '2026-05-09', [child]],
    ['the birthday', '2013-05-10', '2026-05-10', [teen]],
    ['the last birthday', '2008-05-10', '2026-05-10', [adult]],
    ['a year alone, before any birthday of the year', '2013', '2025-12-31', [child]],
    ['a year alone, from the earliest possible birthday to the latest', '2013', '2026-01-01', [child, teen]],
    ['a year alone, on the day before the latest', '2013', '2026-12-30', [child, teen]],
    ['a year alone, on the latest possible birthday', '2013', '2026-12-31', [teen]],
    ['a month alone, on its first day', '2013-05', '2026-05-01', [child, teen]],
    ['a month alone, on its last day', '2013-05', '2026-05-31', [teen]],
    ['29 February, on 27 February of a year without', '2012-02-29', '2025-02-27', [child]],
    ['29 February, on 28 February of a year without', '2012-02-29', '2025-02-28', [child, teen]],
    ['29 February, on 1 March of a year without', '2012-02-29', '2025-03-01', [teen]],
    ['29 February, on 28 February of a leap year', '2008-02-29', '2024-02-28', [teen]],
    ['the day of birth', '2026-05-10', '2026-05-10', [child]],
    ['a year alone, in that year', '2026', '2026-01-01', [child]],
  ])('are those that may be in force: %s', (_, birthDate, day, expected) => {
    expect(stepsOn(birthDate, table, day)).toEqual(expected);
  });

  it('refuse all ages below the first step', () => {
    expect(stepsOn('2012-06-01', [{ from: 16 }], '2026-05-10')).toEqual([{ from: 0, level: 'not-possible' }]);
    expect(stepsOn('2010', [{ from: 16 }], '2026-05-10')).toEqual([belowTable, { from: 16 }]);
  });

  it.each([
    undefined,
    '',
    '0000',
    '13',
    '2013-13',
    '2013-00',
    '2013-02-29',
    '2013-5-1',
    '2013-05-10T10:00',
    '2027',
    '2026-05-11',
    '1900-02-29',
    '2012-02-30',
    '2013-04-31',
    '2013-06-31',
    '2013-09-31',
    '2013-11-31',
    '2013-05-32',
    'x2013-05-10',
  ])('are unknown for the birth date %p', (birthDate) => {
    expect(stepsOn(birthDate, table, '2026-05-10')).toBeUndefined();
  });

  it('are for a partial date all those of the dates that it can mean', () => {
    const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2026-12-31'), noInvalidDate: true });
    const text = (date: Date) => date.toISOString().slice(0, 10);
    fc.assert(
      fc.property(days, days, fc.constantFrom(4, 7), (born, now, length) => {
        const [birth, day] = [text(born), text(now)];
        fc.pre(birth <= day);
        const exact = stepsOn(birth, table, day) ?? [];
        expect(stepsOn(birth.slice(0, length), table, day)).toEqual(expect.arrayContaining(exact));
        const { least, most } = agesOn(birth.slice(0, length), day) ?? { least: 1, most: 0 };
        expect(most - least).toBeLessThanOrEqual(1);
      }),
      runs(300, 30_000),
    );
  });
});

describe('The age', () => {
  it.each([
    ['2026-05-10', '2026-05-10', { least: 0, most: 0 }],
    ['2026', '2026-05-10', { least: 0, most: 0 }],
    ['2025', '2026-05-10', { least: 0, most: 1 }],
    ['2025-05', '2026-05-10', { least: 0, most: 1 }],
    ['2026-05-11', '2026-05-10', undefined],
    ['2000-02-29', '2026-05-10', { least: 26, most: 26 }],
    ['2013-12-31', '2026-05-10', { least: 12, most: 12 }],
    ['2013-04', '2026-04-30', { least: 13, most: 13 }],
    ['2013-05-10', 'today', undefined],
    ['2013-05-10', 'x2026-05-10', undefined],
    ['2013-05-10', '2026-05-10T00:00', undefined],
  ])('of a patient born on %s is known on %s', (birthDate, day, expected) => {
    expect(agesOn(birthDate, day)).toEqual(expected);
  });
});

describe('The next step', () => {
  it.each([
    ['2013-05-10', '2026-05-09', { on: '2026-05-10', surelyOn: '2026-05-10', step: teen }],
    ['2013-05-10', '2026-05-10', { on: '2031-05-10', surelyOn: '2031-05-10', step: adult }],
    ['2013', '2025-12-31', { on: '2026-01-01', surelyOn: '2026-12-31', step: teen }],
    ['2012-02', '2025-01-31', { on: '2025-02-01', surelyOn: '2025-03-01', step: teen }],
    ['2013-04', '2026-03-31', { on: '2026-04-01', surelyOn: '2026-04-30', step: teen }],
    ['2012-02-29', '2025-02-01', { on: '2025-02-28', surelyOn: '2025-03-01', step: teen }],
    ['2011-02-28', '2024-02-01', { on: '2024-02-28', surelyOn: '2024-02-28', step: teen }],
    ['2006-02-29', '2025-02-01', undefined],
    ['2000-01-01', '2025-02-01', undefined],
  ])('of a patient born on %s is known on %s with its earliest and its latest day', (birthDate, day, expected) => {
    expect(nextStepAfter(birthDate, table, day)).toEqual(expected);
  });

  it('is the nearest one, in whatever order the table has them, and none before the birth', () => {
    const nearest = { on: '2026-05-10', surelyOn: '2026-05-10', step: teen };
    expect(nextStepAfter('2013-05-10', [adult, teen, child], '2020-01-01')).toEqual(nearest);
    expect(nextStepAfter('2030-01-01', table, '2026-05-10')).toBeUndefined();
  });
});
