import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import type { AgeStep } from '../../../src/representation/domain/ages.js';
import { type ChoiceRules, levelChoices } from '../../../src/representation/domain/levels/level-choices.js';
import { aRelationship } from '../../support/representation/relationship.js';

const without = { types: [], categories: [], securityLabels: [], codes: [] };
const rule = (id: string, kinds: LevelRule['kinds']) => ({ id, label: id, kinds, without, change: [] });
const levels = [
  rule('full', 'full'),
  rule('daily', ['Goal', 'Flag']),
  rule('basics', ['Goal']),
  rule('other', ['List']),
];
const day = '2026-06-01';
const parental: AgeStep[] = [
  { from: 0, level: 'full' },
  { from: 13, level: 'basics' },
  { from: 16, level: 'basics', agreement: true },
  { from: 18, level: 'ends' },
];
const aged16 = '2010-01-01';

const choicesOf = (relationship: object, rules: Partial<ChoiceRules> = {}) =>
  levelChoices(aRelationship(relationship), {
    ...{ day, birthDate: '1948-01-01', ages: [], levels, offered: [{ from: 16 }] },
    offeredLevel: (id) => levels.find((one) => one.id === id),
    ...rules,
  });
const named = (relationship: object, rules: Partial<ChoiceRules> = {}) =>
  choicesOf(relationship, rules).choices.map(({ level, isMore }) => (isMore ? `${level} more` : level));

describe('A patient gives a representative', () => {
  it.each<[string, string[], object, Partial<ChoiceRules>]>([
    [
      'any level from the age of the table of help',
      ['full more', 'daily more', 'basics', 'other more'],
      { level: 'basics' },
      {},
    ],
    ['less than everything without a proof', ['full', 'daily', 'basics', 'other'], { level: 'full' }, {}],
    ['no level below that age', [], { level: 'full' }, { birthDate: '2012-01-01' }],
    ['no level where the table of help says not possible', [], {}, { offered: [{ from: 0, level: 'not-possible' }] }],
    ['no level where the table of help has ended', [], {}, { offered: [{ from: 0, level: 'ends' }] }],
    ['no level where patients choose no basis', [], { level: 'full' }, { offered: undefined }],
    [
      'less alone where the table of help has that level',
      ['daily', 'basics'],
      { level: 'daily' },
      { offered: [{ from: 0, level: 'daily' }] },
    ],
    [
      'nothing more where the level of the table is not configured',
      ['basics'],
      { level: 'basics' },
      { offered: [{ from: 0, level: 'gone' }] },
    ],
    [
      'less alone if the birth date does not tell the age',
      ['daily', 'basics'],
      { level: 'daily' },
      { birthDate: undefined },
    ],
    [
      'any level without a table of help, also then',
      ['full more', 'daily', 'basics', 'other more'],
      { level: 'daily' },
      { birthDate: undefined, offered: [] },
    ],
  ])('%s', (_, expected, relationship, rules) => {
    expect(named(relationship, rules)).toEqual(expected);
  });

  it('more than the age table of the relationship leaves, for its present step', () => {
    const { present, choices } = choicesOf({ level: 'full' }, { birthDate: aged16, ages: parental });
    expect(present).toBe('basics');
    expect(choices).toEqual([
      { level: 'full', isMore: true, aboveTable: { step: 16, until: null } },
      { level: 'daily', isMore: true, aboveTable: { step: 16, until: null } },
      { level: 'basics', isMore: false, aboveTable: null },
      { level: 'other', isMore: true, aboveTable: { step: 16, until: null } },
    ]);
  });

  it('less than was approved above the table, until the day of that approval', () => {
    const aboveTable = { step: 16, until: '2026-09-01' };
    const { present, isAboveTable, choices } = choicesOf(
      { level: 'full', aboveTable },
      { birthDate: aged16, ages: parental },
    );
    expect([present, isAboveTable]).toEqual(['full', true]);
    expect(choices.find(({ level }) => level === 'daily')).toEqual({ level: 'daily', isMore: false, aboveTable });
    const over = choicesOf(
      { level: 'full', aboveTable: { step: 16, until: '2026-05-31' } },
      { birthDate: aged16, ages: parental },
    );
    expect([over.present, over.isAboveTable, over.choices[0]]).toEqual([
      'basics',
      false,
      { level: 'full', isMore: true, aboveTable: { step: 16, until: null } },
    ]);
  });

  it('nothing above the table while several ages are possible', () => {
    // 16 or 15, so that two steps may be in force.
    const rules = { birthDate: '2010', ages: parental, offered: [{ from: 15 }] };
    expect(named({ level: 'full' }, rules)).toEqual(['basics']);
  });

  it('a level in place of one that is not configured any more, which shows nothing, with a proof', () => {
    const { present, choices } = choicesOf({ level: 'gone' });
    expect([present, choices.map(({ isMore }) => isMore)]).toEqual(['gone', [true, true, true, true]]);
    const rules = { birthDate: aged16, ages: parental, offered: [{ from: 15 }] };
    expect(choicesOf({ level: 'gone' }, rules)).toMatchObject({ present: 'gone', limits: ['basics'] });
    expect(named({ level: 'gone' }, rules)).toContain('basics more');
  });
});
