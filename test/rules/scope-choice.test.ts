import { type ChoosableScope, ScopeChoice } from '../../src/contract/rules/scope-choice.js';

const row = (value: string, ...below: string[]): ChoosableScope => ({
  value,
  fineGrainedScopes: below.map((text) => row(text)),
});

/** What is left of everything when these are unticked one after the other. */
function without(rows: ChoosableScope[], ...texts: string[]): string[] {
  const choice = new ScopeChoice(rows);
  let selection = choice.everything();
  for (const text of texts) selection = choice.ticked(selection, [row(text)], false);
  return choice.granted(selection);
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
      'what is the patient’s, beside all that the person may see',
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
    const none = choice.ticked(choice.everything(), rows, false);
    expect(choice.granted(none)).toEqual([]);
    expect(choice.granted(choice.ticked(none, rows.slice(1), true))).toEqual(['patient/Goal.rs', 'patient/*.rs']);
  });
});
