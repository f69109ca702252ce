import { newsOf, reachedAge } from '../../../src/representation/domain/patient-news.js';
import type { Relationship } from '../../../src/representation/domain/relationship.js';
import { aRelationship } from '../../support/representation/relationship.js';

const ages = [
  { from: 0, level: 'full' },
  { from: 13, level: 'basics' },
  { from: 18, level: 'ends' },
];
const day = '2026-11-29';
const now = new Date(`${day}T12:00:00Z`);

function newsFor(
  relationship: Partial<Relationship>,
  birthDate: string | undefined,
  { table = ages, isDeceased = false }: { table?: { from: number; level?: string }[]; isDeceased?: boolean } = {},
) {
  const facts = {
    ...{ birthDate, isDeceased, isActive: true, replacedBy: undefined },
    ...{ name: 'Mia Duarte', firstName: 'Mia', readAt: now },
  };
  const on = { day, decidedOn: '2026-01-01', renewedOn: null, ages: table, birthDate };
  return newsOf(aRelationship(relationship), { ...on, now, facts, ownAccountFrom: 13 });
}

const ended = { status: 'ended', reason: 'age', endedAt: new Date('2026-11-20T00:00:00Z') } as const;

describe('The news of a relationship for its patient', () => {
  it.each([
    ['who is 13 and has a parent', {}, '2013-11-29', 'acts'],
    ['who turns 13 tomorrow', {}, '2013-11-30', undefined],
    ['of whom the month of birth is known, and who may be 12', {}, '2013-11', undefined],
    ['of whom the month of birth is known, and who is 13', {}, '2013-10', 'acts'],
    ['without a birth date', { withoutBirthDate: true }, undefined, undefined],
    ['who is 17', {}, '2008-11-30', 'acts'],
    ['who turns 18 today, before it is stored', {}, '2008-11-29', 'ended'],
    ['who has turned 18', ended, '2008-11-20', 'ended'],
    ['who has turned 18, a year ago', { ...ended, endedAt: new Date('2025-11-29T11:59:59Z') }, '2007-11-20', undefined],
    [
      'who has turned 18, not a year ago',
      { ...ended, endedAt: new Date('2025-11-29T12:00:01Z') },
      '2007-11-20',
      'ended',
    ],
    ['whose birth date has vanished since the end', ended, undefined, 'ended'],
    ['who is too young to be told of an end', ended, '2015-01-01', undefined],
    ['whose parent has ended it', { ...ended, reason: 'representative' }, '2008-11-20', undefined],
    ['whose parent asks', { status: 'proposed' }, '2012-01-01', undefined],
    ['who has not agreed', { status: 'suspended', reason: 'agreement' }, '2012-01-01', 'acts'],
    ['whose record is gone', { status: 'suspended', reason: 'deleted' }, '2012-01-01', undefined],
    ['whose parent does not act yet', { start: '2026-11-30' }, '2012-01-01', undefined],
    ['whose parent has acted until yesterday', { end: '2026-11-28' }, '2012-01-01', undefined],
    ['whose parent has no account any more', { accountId: null }, '2012-01-01', undefined],
  ] as const)('%s is known', (_, relationship, birthDate, expected) => {
    expect(newsFor(relationship as Partial<Relationship>, birthDate)).toBe(expected);
  });

  it('are undefined for an adult, and for a table that ends at no age', () => {
    expect(newsFor({}, '1950-01-01', { table: [] })).toBeUndefined();
    expect(newsFor({}, '1950-01-01', { table: [{ from: 16 }] })).toBeUndefined();
    expect(newsFor({}, '2012-01-01', { table: [{ from: 0 }] })).toBeUndefined();
  });

  it('is none of a patient who has died', () => {
    expect(newsFor({}, '2012-01-01', { isDeceased: true })).toBeUndefined();
  });
});

describe('The age that a patient has reached', () => {
  it.each([
    ['2008-11-29', { age: 18, on: '2026-11-29', isExact: true }],
    ['2008-11-30', undefined],
    ['2008', { age: 18, on: '2026-01-01', isExact: false }],
    ['2008-11', { age: 18, on: '2026-11-01', isExact: false }],
    ['2008-02-29', { age: 18, on: '2026-02-28', isExact: false }],
    ['2004-02-29', { age: 18, on: '2022-02-28', isExact: false }],
    [undefined, undefined],
    ['yesterday', undefined],
  ])('of a birth date %s is known', (birthDate, expected) => {
    expect(reachedAge(ages, birthDate, day)).toEqual(expected);
  });

  it('is none where acting for others is not possible at any age', () => {
    expect(reachedAge([{ from: 0, level: 'not-possible' }], '2010-01-01', day)).toBeUndefined();
  });
});
