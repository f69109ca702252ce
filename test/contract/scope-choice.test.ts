import { type ChoosableScope, leavesOf, overlap, ScopeChoice } from '../../src/contract/rules/scopes/scope-choice.js';
import { parseScope } from '../../src/contract/rules/scopes/smart-scope.js';

const row = (value: string, ...below: string[]): ChoosableScope => ({
  value,
  fineGrainedScopes: below.map((text) => row(text)),
});

/** Returns the granted scopes after everything was ticked and these were unticked one after the other. */
function without(rows: ChoosableScope[], ...texts: string[]): string[] {
  const choice = new ScopeChoice(rows);
  let selection = choice.allLeaves();
  for (const text of texts) selection = choice.withTicked(selection, [row(text)], false);
  return choice.grantedScopes(selection);
}

describe('A scope that is unticked on the consent page', () => {
  test.each<[string, ChoosableScope[], string, string[]]>([
    [
      'a kind that is also part of a wildcard',
      [
        row('patient/Observation.rs'),
        row('patient/*.rs', 'patient/Condition.rs', 'patient/Goal.rs', 'patient/Observation.rs'),
      ],
      'patient/Observation.rs',
      ['patient/Condition.rs', 'patient/Goal.rs'],
    ],
    [
      'a kind of version 1, part of a wildcard of version 2',
      [row('patient/Goal.read'), row('patient/*.rs', 'patient/Goal.rs', 'patient/Flag.rs')],
      'patient/Goal.read',
      ['patient/Flag.rs'],
    ],
    ['a part of other actions', [row('patient/Goal.rs'), row('patient/Goal.cruds')], 'patient/Goal.rs', []],
    ['one of two that overlap', [row('patient/Goal.cr'), row('patient/Goal.ru')], 'patient/Goal.ru', []],
    ['reading one, beside searching', [row('patient/Goal.r'), row('patient/Goal.s')], 'patient/Goal.r', []],
    [
      'a category',
      [row('patient/Observation.rs?category=http://codes|lab'), row('patient/Observation.rs')],
      'patient/Observation.rs?category=http://codes|lab',
      [],
    ],
    [
      'a category of one system, beside the same of any system',
      [row('patient/Observation.rs?category=http://codes|lab'), row('patient/Observation.rs?category=survey,lab')],
      'patient/Observation.rs?category=http://codes|lab',
      [],
    ],
    [
      'what is the patient’s, next to all that the user may see',
      [row('patient/Goal.rs'), row('user/*.rs', 'user/Flag.rs', 'user/Goal.rs')],
      'patient/Goal.rs',
      ['user/Flag.rs'],
    ],
    [
      'a kind that a wildcard is not laid out as',
      [row('patient/Odd.rs'), row('patient/*.rs', 'patient/Flag.rs')],
      'patient/Odd.rs',
      ['patient/Flag.rs'],
    ],
    ['a kind beside a wildcard without kinds', [row('patient/Goal.rs'), row('patient/*.rs')], 'patient/Goal.rs', []],
    [
      'an operation on one type, beside that on all',
      [row('patient/Patient.$everything'), row('user/*.$everything')],
      'patient/Patient.$everything',
      [],
    ],
  ])('is not granted: %s', (_what, rows, unticked, left) => {
    expect(without(rows, unticked)).toEqual(left);
  });

  test.each<[string, string[], string, string[]]>([
    ['more actions', ['patient/Goal.rs', 'patient/Goal.cruds'], 'patient/Goal.cruds', ['patient/Goal.rs']],
    ['other actions', ['patient/Goal.rs', 'patient/Goal.cud'], 'patient/Goal.cud', ['patient/Goal.rs']],
    ['another type', ['patient/Goal.rs', 'patient/Flag.rs'], 'patient/Flag.rs', ['patient/Goal.rs']],
    [
      'another category',
      ['patient/Observation.rs?category=lab', 'patient/Observation.rs?category=survey'],
      'patient/Observation.rs?category=survey',
      ['patient/Observation.rs?category=lab'],
    ],
    [
      'the whole of it',
      ['patient/Goal.rs?category=a', 'patient/Goal.rs'],
      'patient/Goal.rs',
      ['patient/Goal.rs?category=a'],
    ],
    ['what others may see', ['patient/Goal.rs', 'user/Goal.rs'], 'user/Goal.rs', ['patient/Goal.rs']],
    ['identity', ['openid', 'profile', 'launch/patient'], 'profile', ['openid', 'launch/patient']],
  ])('leaves other scopes granted: %s', (_what, texts, unticked, left) => {
    expect(
      without(
        texts.map((text) => row(text)),
        unticked,
      ),
    ).toEqual(left);
  });

  it('is granted again by the scope that contains it', () => {
    const rows = [row('patient/Goal.rs'), row('patient/*.rs', 'patient/Flag.rs', 'patient/Goal.rs')];
    const choice = new ScopeChoice(rows);
    const none = choice.withTicked(choice.allLeaves(), rows, false);
    expect(choice.grantedScopes(none)).toEqual([]);
    expect(choice.grantedScopes(choice.withTicked(none, rows.slice(1), true))).toEqual([
      'patient/Goal.rs',
      'patient/*.rs',
    ]);
  });
});

describe('The tick of a scope on the consent page', () => {
  const wildcard = row('patient/*.rs', 'patient/Goal.rs', 'patient/Flag.rs');
  const choice = new ScopeChoice([wildcard, row('openid')]);

  test('is all, some or none of the scopes below it', () => {
    expect(choice.tickOf(new Set(['patient/Goal.rs', 'patient/Flag.rs']), wildcard)).toBe('all');
    expect(choice.tickOf(new Set(['patient/Goal.rs']), wildcard)).toBe('some');
    expect(choice.tickOf(new Set(['openid']), wildcard)).toBe('none');
    expect(choice.tickOf(new Set(['openid']), row('openid'))).toBe('all');
    expect(choice.tickOf(new Set(), row('openid'))).toBe('none');
    expect(choice.tickOf(new Set(['b']), row('a', 'b', 'c'))).toBe('some');
  });

  test('is some where another scope that it permits is unticked', () => {
    const rows = [wildcard, row('patient/Odd.rs')];
    const selection = new Set(['patient/Goal.rs', 'patient/Flag.rs']);
    expect(new ScopeChoice(rows).tickOf(selection, wildcard)).toBe('some');
    expect(new ScopeChoice(rows).grantedScopes(selection)).toEqual(['patient/Goal.rs', 'patient/Flag.rs']);
  });

  test('is one of the scopes that have none below them', () => {
    expect(leavesOf(row('openid'))).toEqual(['openid']);
    expect(leavesOf({ value: 'a', fineGrainedScopes: [row('b', 'c'), row('d')] })).toEqual(['c', 'd']);
    expect([...choice.allLeaves()]).toEqual(['patient/Goal.rs', 'patient/Flag.rs', 'openid']);
  });
});

describe('A scope that is ticked on the consent page', () => {
  const ticked = (rows: string[], on: string, before: string[] = []) =>
    [...new ScopeChoice(rows.map((text) => row(text))).withTicked(new Set(before), [row(on)], true)].sort();

  test.each<[string, string[], string, string[]]>([
    ['alone', ['openid', 'profile'], 'openid', ['openid']],
    [
      'with what it permits',
      ['patient/Goal.rs', 'patient/Goal.r'],
      'patient/Goal.rs',
      ['patient/Goal.r', 'patient/Goal.rs'],
    ],
    ['without what permits more', ['patient/Goal.crs', 'patient/Goal.r'], 'patient/Goal.r', ['patient/Goal.r']],
    [
      'with what overlaps, and what that overlaps',
      ['patient/Goal.cr', 'patient/Goal.ru', 'patient/Goal.ud'],
      'patient/Goal.cr',
      ['patient/Goal.cr', 'patient/Goal.ru', 'patient/Goal.ud'],
    ],
    ['without another type', ['patient/Goal.rs', 'patient/Flag.rs'], 'patient/Goal.rs', ['patient/Goal.rs']],
    ['without other actions', ['patient/Goal.c', 'patient/Goal.d'], 'patient/Goal.c', ['patient/Goal.c']],
    [
      'as a wildcard, with each type',
      ['patient/*.rs', 'patient/Goal.rs', 'user/Flag.rs', 'system/Flag.rs'],
      'patient/*.rs',
      ['patient/*.rs', 'patient/Goal.rs', 'user/Flag.rs'],
    ],
    [
      'of the user, with the patient',
      ['user/Goal.rs', 'patient/Goal.rs'],
      'user/Goal.rs',
      ['patient/Goal.rs', 'user/Goal.rs'],
    ],
    ['of the patient, without the user', ['user/Goal.rs', 'patient/Goal.rs'], 'patient/Goal.rs', ['patient/Goal.rs']],
    ['of the system, alone', ['system/Goal.rs', 'user/Goal.rs'], 'system/Goal.rs', ['system/Goal.rs']],
    [
      'as an operation, with the same for a type',
      ['user/*.$expand', 'user/ValueSet.$expand', 'user/ValueSet.$lookup'],
      'user/*.$expand',
      ['user/*.$expand', 'user/ValueSet.$expand'],
    ],
    [
      'as an operation of a type, without that of all types',
      ['user/*.$expand', 'user/ValueSet.$expand'],
      'user/ValueSet.$expand',
      ['user/ValueSet.$expand'],
    ],
    [
      'as an operation, without resources of the type',
      ['user/ValueSet.$expand', 'user/ValueSet.rs'],
      'user/ValueSet.$expand',
      ['user/ValueSet.$expand'],
    ],
    ['that no version reads', ['patient/Goal.zz', 'openid'], 'patient/Goal.zz', ['patient/Goal.zz']],
    [
      'with a wildcard that permits a part of it',
      ['patient/Goal.cruds', 'patient/*.rs'],
      'patient/Goal.cruds',
      ['patient/*.rs', 'patient/Goal.cruds'],
    ],
  ])('%s', (_, rows, on, expected) => {
    expect(ticked(rows, on)).toEqual(expected);
  });

  test('keeps what was ticked before, also where it is ticked already', () => {
    expect(ticked(['openid', 'profile'], 'openid', ['profile'])).toEqual(['openid', 'profile']);
    expect(ticked(['openid'], 'openid', ['openid'])).toEqual(['openid']);
  });
});

describe('Two scopes overlap', () => {
  const scope = (text: string) => {
    const parsed = parseScope(text);
    if (!parsed) throw new Error(`${text} is no scope`);
    return parsed;
  };

  test.each([
    ['openid', 'openid', true],
    ['openid', 'profile', false],
    ['openid', 'patient/Goal.rs', false],
    ['patient/Goal.r', 'patient/Goal.s', true],
    ['patient/Goal.r', 'patient/Goal.c', false],
    ['patient/Goal.c', 'patient/*.cu', true],
    ['patient/Goal.rs', 'patient/Flag.rs', false],
    ['patient/Goal.rs', 'user/Goal.rs', true],
    ['system/Goal.rs', 'user/Goal.rs', false],
    ['system/Goal.rs', 'system/Goal.rs', true],
    ['user/ValueSet.$expand', 'user/*.$expand', true],
    ['user/ValueSet.$expand', 'user/ValueSet.$lookup', false],
    ['user/ValueSet.$expand', 'user/CodeSystem.$expand', false],
    ['user/ValueSet.$expand', 'system/ValueSet.$expand', false],
    ['user/ValueSet.$expand', 'user/ValueSet.rs', false],
    ['patient/Goal.rs?category=a', 'patient/Goal.rs', true],
    ['patient/Goal.rs?category=a', 'patient/Goal.rs?category=b', false],
  ])('%s and %s: %p', (one, other, isSo) => {
    expect(overlap(scope(one), scope(other))).toBe(isSo);
    expect(overlap(scope(other), scope(one))).toBe(isSo);
  });
});
