import fc from 'fast-check';
import { type AgeStep, dayIn } from '../../../src/representation/domain/ages.js';
import {
  addDays,
  agreeableSteps,
  changeBy,
  comingFor,
  isRenewable,
  nextChange,
  nextLoss,
  type OnThisDay,
  startOf,
  yearlyQuestion,
} from '../../../src/representation/domain/coming-steps.js';
import type { LevelRule } from '../../../src/representation/domain/level.js';
import { aRelationship } from '../../support/representation/relationship.js';
import { runs } from '../../support/runs.js';

const ages = [
  { from: 0, level: 'full' },
  { from: 13, level: 'basics' },
  { from: 16, level: 'basics', agreement: true },
  { from: 18, level: 'ends' },
];
const adult = [{ from: 16 }];

const on = (day: string, more: Partial<OnThisDay> = {}): OnThisDay => ({
  ...{ day, decidedOn: '2020-06-01', renewedOn: null, ages, birthDate: '2013-05-10' },
  ...more,
});
const always = () => true;
const keys = (end: string | null, today: OnThisDay) => comingFor({ end }, today, always).steps.map(({ key }) => key);

const rule = (id: string, kinds: LevelRule['kinds']): LevelRule => ({
  ...{ id, label: id, kinds, change: [] },
  without: { types: [], categories: [], securityLabels: [], codes: [] },
});
const levels = [
  rule('chosen', ['Goal', 'Claim']),
  rule('full', 'full'),
  rule('daily', ['Goal', 'Flag']),
  rule('basics', ['Goal']),
];
const levelOf = (id: string) => levels.find((one) => one.id === id);

describe('The next age that takes something away', () => {
  const lossOf = (relationship: object, birthDate: string | undefined, table: AgeStep[] = ages) => {
    const rules = { day: '2026-06-01', ages: table, birthDate };
    return nextLoss(aRelationship(relationship), rules, levelOf);
  };
  const less = { ends: false, needsAgreement: false };
  const asked = { ends: false, needsAgreement: true, level: null };
  const over = { ends: true, needsAgreement: false, level: null };
  const basics = expect.objectContaining({ id: 'basics' });

  it.each<[string, object, string | undefined, AgeStep[] | undefined, object | undefined]>([
    ['is a lower level', {}, '2020-03-09', ages, { on: '2033-03-09', ...less, level: basics }],
    [
      'is an agreement for who sees no more already',
      { level: 'basics' },
      '2020-03-09',
      ages,
      { on: '2036-03-09', ...asked },
    ],
    [
      'is an end for whom the patient has let in',
      { level: 'basics', agreedSteps: [16] },
      '2020-03-09',
      ages,
      { on: '2038-03-09', ...over },
    ],
    [
      'is not what an earlier age has taken from chosen kinds',
      { level: 'chosen' },
      '2011-01-01',
      [...ages.slice(0, 1), { from: 13, level: 'daily' }, { from: 16, level: 'basics' }, { from: 18, level: 'ends' }],
      { on: '2029-01-01', ...over },
    ],
    [
      'is the same while the agreement of the present age is missing',
      {},
      '2010-01-01',
      ages,
      { on: '2028-01-01', ...over },
    ],
    ['is the earliest day of a month', {}, '2020-03', ages, { on: '2033-03-01', ...less, level: basics }],
    [
      'is the end of what was approved above the table',
      { aboveTable: { step: 0, until: null, level: 'full' } },
      '2020-03-09',
      [
        { from: 0, level: 'basics' },
        { from: 13, level: 'basics' },
      ],
      { on: '2033-03-09', ...less, level: basics },
    ],
    [
      'is none where an age gives more',
      { level: 'full' },
      '2020-03-09',
      [{ from: 0, level: 'basics' }, { from: 18 }],
      undefined,
    ],
    [
      'is none after the last age',
      {},
      '1990-01-01',
      [
        { from: 0, level: 'full' },
        { from: 18, level: 'basics' },
      ],
      undefined,
    ],
    [
      'is none of a level that is not configured',
      {},
      '2020-03-09',
      [{ from: 0 }, { from: 13, level: 'gone' }],
      undefined,
    ],
    ['is none without a birth date', {}, undefined, ages, undefined],
    [
      'is impossible as well as over',
      {},
      '2020-03-09',
      [{ from: 0 }, { from: 13, level: 'not-possible' }],
      { on: '2033-03-09', ...over },
    ],
  ])('%s', (_, relationship, birthDate, table, expected) => {
    expect(lossOf(relationship, birthDate, table)).toEqual(expected);
  });

  it('is none of a level that another one limits already', () => {
    // The exact age is unknown: both steps limit what is seen now.
    const table = [
      { from: 0, level: 'daily' },
      { from: 10, level: 'basics' },
      { from: 13, level: 'daily' },
    ];
    expect(lossOf({}, '2016', table)).toBeUndefined();
  });
});

describe('The next age that changes what is seen', () => {
  const changeOf = (relationship: object, birthDate: string, table: AgeStep[] = ages) =>
    nextChange(aRelationship(relationship), { day: '2026-06-01', ages: table, birthDate }, levelOf);
  const adultFull = [{ from: 0, level: 'basics' }, { from: 18 }];

  it.each<[string, object, string, AgeStep[] | undefined, object | undefined]>([
    ['takes something', {}, '2020-03-09', ages, { on: '2033-03-09', change: 'less' }],
    ['asks the patient', { level: 'basics' }, '2020-03-09', ages, { on: '2036-03-09', change: 'less' }],
    [
      'is the end for whom the patient has let in',
      { level: 'basics', agreedSteps: [16] },
      '2020-03-09',
      ages,
      { on: '2038-03-09', change: 'less' },
    ],
    ['gives more', {}, '2010-03-09', adultFull, { on: '2028-03-09', change: 'more' }],
    [
      'gives more on the last day on which it may come',
      {},
      '2010',
      adultFull,
      { on: '2028-01-01', surelyOn: '2028-12-31', change: 'more' },
    ],
    [
      'gives back what an agreement had withheld',
      {},
      '2009',
      [
        { from: 0, level: 'full' },
        { from: 16, agreement: true },
        { from: 18, level: 'full' },
      ],
      { on: '2027-01-01', change: 'more' },
    ],
    ['does not come for a level that no step limits', { level: 'basics' }, '2020-03-09', adultFull, undefined],
  ])('%s', (_, relationship, birthDate, table, expected) => {
    const found = changeOf(relationship, birthDate, table);
    expect(found && { ...found }).toEqual(expected && expect.objectContaining(expected));
  });

  it('is told, and one that changes nothing is not', () => {
    const told = (level: string, day: string) => {
      const today = on(day);
      const isFelt = (step: { on: string; surelyOn: string }) =>
        changeBy(aRelationship({ level }), today, step, levelOf) !== undefined;
      return comingFor({ end: null }, today, isFelt).steps.map(({ key }) => key);
    };
    expect([told('full', '2026-05-01'), told('basics', '2026-05-01')]).toEqual([['age:13:2026-05-10:soon'], []]);
    expect([told('full', '2026-05-11'), told('basics', '2026-05-11')]).toEqual([['age:13:2026-05-10:now'], []]);
    expect(told('basics', '2029-05-01')).toEqual(['age:16:2029-05-10:soon']);
  });
});

describe('What is told', () => {
  it.each([
    ['31 days before a step', '2026-04-09', {}, []],
    ['30 days before a step', '2026-04-10', {}, ['age:13:2026-05-10:soon']],
    ['a day before it', '2026-05-09', {}, ['age:13:2026-05-10:soon']],
    ['on its day', '2026-05-10', {}, ['age:13:2026-05-10:now']],
    ['a week later', '2026-05-16', {}, ['age:13:2026-05-10:now']],
    ['eight days later', '2026-05-17', {}, []],
    ['before a birthday in a month that is known', '2026-04-01', { birthDate: '2013-05' }, ['age:13:2026-05-01:soon']],
    ['on the day before one of 29 February', '2027-02-27', { birthDate: '2014-02' }, []],
    ['before the day of one of 29 February', '2025-02-27', { birthDate: '2012-02-29' }, ['age:13:2025-02-28:soon']],
    ['on its day, of a relationship of that day', '2026-05-10', { decidedOn: '2026-05-10' }, []],
    ['on the day of a step that is older than the relationship', '2026-05-12', { decidedOn: '2026-05-11' }, []],
    [
      'at once, of a relationship made within the 30 days',
      '2026-05-01',
      { decidedOn: '2026-05-01' },
      ['age:13:2026-05-10:soon'],
    ],
    ['without a birth date', '2026-05-10', { birthDate: undefined }, []],
  ] as [string, string, Partial<OnThisDay>, string[]][])('%s', (_, day, more, expected) => {
    expect(keys(null, on(day, more))).toEqual(expected);
  });

  it.each([
    ['2026-10-23', []],
    ['2026-10-24', ['period:2026-11-23:soon']],
    ['2026-11-23', ['period:2026-11-23:soon']],
    ['2026-11-24', []],
  ])('of the end of a period, on %s', (day, expected) => {
    expect(keys('2026-11-23', on(day, { ages: adult, birthDate: '1948-01-01' }))).toEqual(expected);
  });

  it('is a question each year, of one that has no end in its period or its ages', () => {
    const old = { ages: adult, birthDate: '1948-01-01', decidedOn: '2025-03-01' };
    expect(yearlyQuestion({ end: null }, on('2026-02-28', old))).toBe('2026-03-01');
    expect(yearlyQuestion({ end: null }, on('2026-06-01', { ...old, renewedOn: '2026-03-05' }))).toBe('2027-03-05');
    expect(yearlyQuestion({ end: null }, on('2026-06-01', { ...old, decidedOn: '2024-02-29' }))).toBe('2025-03-01');
    expect(yearlyQuestion({ end: '2030-01-01' }, on('2026-06-01', old))).toBeUndefined();
    expect(yearlyQuestion({ end: null }, on('2026-02-28'))).toBeUndefined();
  });

  it('says what lies ahead and what has happened', () => {
    expect(comingFor({ end: '2026-05-20' }, on('2026-05-10'), always).steps).toEqual([
      { key: 'period:2026-05-20:soon', kind: 'soon', due: '2026-04-20' },
      { key: 'age:13:2026-05-10:now', kind: 'now', due: '2026-05-10' },
    ]);
    expect(comingFor({ end: null }, on('2026-05-09'), always).steps).toEqual([
      { key: 'age:13:2026-05-10:soon', kind: 'soon', due: '2026-04-10' },
    ]);
  });

  it('is no question while the table has an end that may be in force or comes', () => {
    const early = [{ from: 0 }, { from: 13, level: 'ends' }, { from: 18 }];
    expect(yearlyQuestion({ end: null }, on('2026-06-01', { birthDate: '2000-01-01' }))).toBeUndefined();
    expect(yearlyQuestion({ end: null }, on('2026-06-01', { ages: early, birthDate: '2008' }))).toBeUndefined();
    expect(yearlyQuestion({ end: null }, on('2026-06-01', { ages: early, birthDate: '2000' }))).toBe('2021-06-01');
  });

  it.each([
    ['2026-05-10', '2026-06-09'],
    ['2026-12-20', '2027-01-01'],
    ['2027-01-06', '2027-01-31'],
  ])('is looked for again after 30 days, or when a question comes or its time is over: on %s', (day, next) => {
    expect(comingFor({ end: null }, on(day, { ages: [], decidedOn: '2026-01-01' }), always).next).toBe(next);
  });

  it('is looked for on each day on which it begins, and on none before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3000 }),
        fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
        fc.integer({ min: 0, max: 60 }),
        (offset, length, later) => {
          const day = addDays('2024-01-01', offset);
          const end = length === null ? null : addDays(day, length);
          const { next } = comingFor({ end }, on(day), always);
          expect(next > day).toBe(true);
          const between = addDays(day, later);
          if (between >= next) return;
          const isNew = (key: string) => key.endsWith(':soon') || key.endsWith(`${between}:now`);
          expect(keys(end, on(between)).filter(isNew)).toEqual(keys(end, on(day)).filter(isNew));
        },
      ),
      runs(500, 20_000),
    );
  });
});

describe('An agreement', () => {
  it.each([
    ['2029-04-09', []],
    ['2029-04-10', [{ step: 16, on: '2029-05-10' }]],
    ['2029-05-10', [{ step: 16, on: null }]],
    ['2031-05-09', [{ step: 16, on: null }]],
    ['2031-05-10', []],
  ])('is possible from 30 days before its step on: %s', (day, expected) => {
    expect(agreeableSteps(ages, '2013-05-10', day)).toEqual(expected);
  });
});

describe('A period', () => {
  it.each([
    ['2026-10-23', false],
    ['2026-10-24', true],
    ['2026-11-23', true],
    ['2026-11-24', false],
  ])('can be renewed in the 30 days before its end: %s', (day, expected) => {
    expect(isRenewable({ end: '2026-11-23', status: 'active' }, day)).toBe(expected);
    expect(isRenewable({ end: '2026-11-23', status: 'suspended' }, day)).toBe(false);
    expect(isRenewable({ end: null, status: 'active' }, day)).toBe(false);
  });
});

describe('The start of a day', () => {
  it.each([
    'UTC',
    'Europe/Amsterdam',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Cairo',
    'America/Havana',
  ])('is its first moment in %s', (timeZone) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4000 }), (offset) => {
        const day = addDays('2024-01-01', offset);
        const start = startOf(day, timeZone);
        expect(dayIn(start, timeZone)).toBe(day);
        expect(dayIn(new Date(start.getTime() - 1), timeZone) < day).toBe(true);
      }),
      runs(100, 4000),
    );
  });
});
