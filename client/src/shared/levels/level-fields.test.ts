import type { LevelView } from '../../../../src/contract/representation/levels.js';
import { askedLevel, fieldsOfLevel, levelText, withLevelOf } from './level-fields.js';

const kinds = ['Goal', 'Claim', '?_security=MH', '?_security=PSY'];
const single = { level: 'full', kinds: kinds.map((kind) => ({ kind, isSensitive: kind.startsWith('?') })) };
const levels: LevelView[] = [
  {
    id: 'full',
    label: 'Full',
    kinds: null,
    without: { types: [], categories: [], securityLabels: [], codedElements: [] },
  },
];

describe('A level in a form', () => {
  it.each([
    ['a whole level', 'full', { level: 'full' }],
    [
      'kinds that can be ticked',
      'full ?_security=MH ?_security=PSY Goal',
      { level: '*', kinds: ['Goal', kinds.slice(2).join(' ')] },
    ],
    ['kinds of another level', 'daily Goal', { level: 'daily Goal' }],
    ['a kind that cannot be ticked', 'full Goal Task', { level: 'full Goal Task' }],
    ['one of two kinds that have one name', 'full ?_security=MH Goal', { level: 'full ?_security=MH Goal' }],
  ])('is %s, and stays so if nothing is changed', (_, text, fields) => {
    expect(fieldsOfLevel(text, single)).toEqual(fields);
    expect(levelText(fields, single)).toBe(text);
  });

  it('is a choice of its own if its kinds cannot be ticked', () => {
    expect(
      withLevelOf(levels, 'daily Goal', single).map(({ id, kinds: own, isChosen }) => [id, own, isChosen]),
    ).toEqual([
      ['full', null, undefined],
      ['daily Goal', ['Goal'], true],
    ]);
    expect(withLevelOf(levels, 'full Goal', single)).toEqual(levels);
    expect(withLevelOf(levels, 'gone', null).map(({ id }) => id)).toEqual(['full', 'gone']);
  });

  it('asks for no kind that is not offered for the basis', () => {
    expect(askedLevel({ level: '*', kinds: ['Goal', 'Task'] }, single)).toEqual({ level: 'full', kinds: ['Goal'] });
  });
});
