import { levelInOrder, partsOfLevel, withKinds } from '../../../src/contract/rules/representation/level-text.js';
import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import { PermittedRecord } from '../../../src/representation/application/permitted-record.js';
import {
  choosableKinds,
  isSensitiveKind,
  type KindRules,
  withKindsAlone,
} from '../../../src/representation/domain/levels/chosen-kinds.js';

const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const rule = (kinds: LevelRule['kinds'], more: Partial<LevelRule> = {}): LevelRule => ({
  ...{ id: 'level', label: 'Level', kinds, without: nothing, change: [] },
  ...more,
});
const rules: KindRules = {
  sensitive: { types: ['Media'], categories: ['Observation/social-history'], securityLabels: ['MH', 'SEX'] },
  named: ['CareTeam', 'Observation', 'Media'],
};
const full = rule('full', { change: 'full' });

const coded = (code: string) => [{ coding: [{ code }] }];
const labelled = (resourceType: string, ...labels: string[]) => ({
  resourceType,
  meta: { security: labels.map((code) => ({ code })) },
});
const letter = { resourceType: 'DocumentReference', content: [{ attachment: { url: 'Binary/b' } }] };
const permits = (level: LevelRule, kinds: string[], resource: object) => {
  const self = { patient: 'p', person: undefined, local: (reference: string) => reference };
  return new PermittedRecord(
    { levels: [withKindsAlone(level, kinds, rules)], basis: 'voluntary' },
    self as ConstructorParameters<typeof PermittedRecord>[1],
  ).permits(resource);
};

describe('The kinds that can be chosen', () => {
  it('of everything: usual ones, those that levels name of other types, contact details, and sensitive ones last', () => {
    const kinds = choosableKinds(full, rules);
    expect(kinds.slice(0, 2)).toEqual(['Appointment', 'MedicationRequest']);
    expect(kinds.slice(-6)).toEqual([
      ...['CareTeam', 'contact-details', 'Media'],
      ...['Observation?category=social-history', '?_security=MH', '?_security=SEX'],
    ]);
    expect(kinds).not.toContain('Observation');
  });

  it('of a list: its own, each once, without files and the patient', () => {
    const own = ['Patient', 'Goal', 'Observation', 'Observation?category=laboratory', 'Task', 'Task.input'];
    expect(choosableKinds(rule(own, { without: { ...nothing, securityLabels: ['MH', 'SEX'] } }), rules)).toEqual([
      ...['Goal', 'Observation', 'Task', 'Observation?category=social-history'],
    ]);
  });

  it.each([
    ['type', { types: ['Claim'] }, 'Claim'],
    ['category', { categories: ['Observation/laboratory'] }, 'Observation?category=laboratory'],
    ['label', { securityLabels: ['MH'] }, '?_security=MH'],
  ])('are without a %s that the level keeps private', (_, without, kind) => {
    const less = rule('full', { without: { ...nothing, ...without } });
    expect(choosableKinds(full, rules)).toContain(kind);
    expect(choosableKinds(less, rules)).not.toContain(kind);
    expect(withKindsAlone(less, [kind], rules).chosen).toEqual([]);
  });

  it.each([
    ['Media', true],
    ['Observation?category=social-history', true],
    ['Observation?category=social-history,laboratory', false],
    ['?_security=MH', true],
    ['Condition', false],
  ])('%s: sensitive is %s', (kind, expected) => {
    expect(isSensitiveKind(kind, rules.sensitive)).toBe(expected);
  });
});

describe('A level with chosen kinds', () => {
  it('is written with its kinds, each once and in one order', () => {
    const text = withKinds('full', ['Goal', 'Claim', 'Goal']);
    expect([text, partsOfLevel(text)]).toEqual(['full Claim Goal', { level: 'full', kinds: ['Claim', 'Goal'] }]);
    expect(partsOfLevel('full')).toEqual({ level: 'full', kinds: undefined });
    expect(['full Goal Claim Goal', 'full  Claim Goal ', 'full', 'full '].map(levelInOrder)).toEqual([
      ...['full Claim Goal', 'full Claim Goal', 'full', 'full '],
    ]);
  });

  it.each<[string, LevelRule, string[], object, boolean]>([
    ['the chosen kind', full, ['Condition'], { resourceType: 'Condition' }, true],
    ['not another kind', full, ['Condition'], { resourceType: 'Procedure' }, false],
    ['the chosen category', full, ['Observation?category=laboratory'], observation('laboratory'), true],
    ['not another category', full, ['Observation?category=laboratory'], observation('vital-signs'), false],
    ['not what has a sensitive label', full, ['Condition'], labelled('Condition', 'MH'), false],
    ['what has one, chosen as well', full, ['Condition', '?_security=MH'], labelled('Condition', 'MH'), true],
    ['whatever has a chosen label', full, ['?_security=MH'], labelled('Procedure', 'MH'), true],
    ['not what has a second one', full, ['Condition', '?_security=MH'], labelled('Condition', 'MH', 'SEX'), false],
    [
      'not a letter by its label',
      full,
      ['?_security=MH'],
      { ...letter, ...labelled(letter.resourceType, 'MH') },
      false,
    ],
    ['letters', full, ['DocumentReference'], letter, true],
    [
      'not a letter with a sensitive label',
      full,
      ['DocumentReference'],
      { ...letter, ...labelled(letter.resourceType, 'MH') },
      false,
    ],
    [
      'a letter with a label that is chosen as well',
      full,
      ['DocumentReference', '?_security=MH'],
      { ...letter, ...labelled(letter.resourceType, 'MH') },
      true,
    ],
    ['not what a sensitive category has', rule(['Observation']), ['Observation'], observation('social-history'), false],
    [
      'what a sensitive category has, chosen alone',
      full,
      ['Observation?category=social-history'],
      observation('social-history'),
      true,
    ],
    ['not more than a list', rule(['Condition']), ['Procedure'], { resourceType: 'Procedure' }, false],
    ['not more than a list by a label', rule(['Goal']), ['?_security=MH'], labelled('Procedure', 'MH'), false],
    ['by a label what the list has', rule(['Goal']), ['Goal', '?_security=MH'], labelled('Goal', 'MH'), true],
    ['nothing of a kind that is gone', full, ['Basic'], { resourceType: 'Basic' }, false],
  ])('shows %s', (_, level, kinds, resource, expected) => {
    expect(permits(level, kinds, resource)).toBe(expected);
  });

  it('shows the patient in part, changes nothing, and keeps what its level keeps private', () => {
    const level = withKindsAlone(
      rule('full', { without: { ...nothing, types: ['Goal'] }, change: 'full' }),
      ['Claim'],
      rules,
    );
    expect(level).toMatchObject({ kinds: ['Claim'], chosen: ['Claim'], change: [] });
    expect(level.without).toEqual({ ...rules.sensitive, types: ['Goal', 'Media'], codes: [] });
  });

  it('shows files that its level names with their kind', () => {
    const level = rule(['DiagnosticReport', 'DiagnosticReport.presentedForm', 'Task', 'Task.input']);
    expect(withKindsAlone(level, ['DiagnosticReport'], rules).kinds).toEqual([
      'DiagnosticReport',
      'DiagnosticReport.presentedForm',
    ]);
  });
});

function observation(category: string): object {
  return { resourceType: 'Observation', category: coded(category) };
}
