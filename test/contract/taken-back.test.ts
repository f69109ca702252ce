import fc from 'fast-check';
import { overlap } from '../../src/contract/rules/scopes/scope-choice.js';
import { parseScope, type ResourceScope } from '../../src/contract/rules/scopes/smart-scope.js';
import {
  permissionOf,
  permittedOf,
  permittedText,
  withoutPermission,
} from '../../src/contract/rules/scopes/taken-back.js';

const kinds = ['Condition', 'Observation', 'Patient'];
const unfold = ({ subject, actions }: ResourceScope) => kinds.map((kind) => `${subject}/${kind}.${actions}`);
const without = (scopes: string[], text: string) => {
  const taken = permissionOf(text);
  if (!taken) throw new Error(`${text} is no permission`);
  return withoutPermission(scopes, taken, unfold);
};
const laboratory = 'category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

describe('A permission that can be taken back', () => {
  it.each([
    'user/Condition.cruds',
    'user/Condition.cud',
    'patient/Condition.write',
    'user/Condition.*',
    'user/*.cruds',
    `user/Observation.cruds?${laboratory}`,
    'user/Patient.$everything',
    '__special',
  ])('is %s', (text) => {
    expect(permissionOf(text)?.text).toBe(text);
  });

  it.each([
    'user/Condition.rs',
    'user/Condition.c',
    'user/Condition.cuds',
    'user/Condition.read',
    'openid',
    'offline_access',
    'launch',
    'x',
  ])('is not %s', (text) => {
    expect(permissionOf(text)).toBeUndefined();
  });
});

describe('Scopes without a permission', () => {
  it.each([
    [
      'a kind',
      ['openid', 'patient/Condition.cruds', 'patient/Observation.rs'],
      'user/Condition.cruds',
      ['openid', 'patient/Observation.rs'],
    ],
    ['a kind of both subjects', ['patient/Condition.rs', 'user/Condition.rs'], 'user/Condition.cruds', []],
    ['the change of a kind', ['patient/Condition.cruds'], 'user/Condition.cud', ['patient/Condition.rs']],
    [
      'the change of a kind in version 1',
      ['patient/Condition.*', 'user/Condition.write'],
      'user/Condition.cud',
      ['patient/Condition.read'],
    ],
    [
      'a kind of a wildcard',
      ['patient/*.rs'],
      'user/Condition.cruds',
      ['patient/Observation.rs', 'patient/Patient.rs'],
    ],
    [
      'the change of a kind of a wildcard',
      ['patient/*.cruds'],
      'user/Condition.cud',
      ['patient/Condition.rs', 'patient/Observation.cruds', 'patient/Patient.cruds'],
    ],
    ['everything', ['patient/*.rs', 'user/Condition.rs', 'fhirUser'], 'user/*.cruds', ['fhirUser']],
    ['the change of everything', ['patient/*.cruds'], 'user/*.cud', ['patient/*.rs']],
    [
      'a kind, beside a text without a meaning',
      ['patient/Goal.zz', 'patient/Condition.rs'],
      'user/Condition.cruds',
      ['patient/Goal.zz'],
    ],
    [
      'a category, which the whole kind would permit',
      ['patient/Observation.rs', `patient/Observation.rs?${laboratory}`, 'patient/Observation.rs?category=survey'],
      `user/Observation.cruds?${laboratory}`,
      ['patient/Observation.rs?category=survey'],
    ],
    ['an operation', ['user/Patient.$everything', 'user/Patient.rs'], 'user/Patient.$everything', ['user/Patient.rs']],
    [
      'nothing of theirs',
      ['patient/Condition.rs', '__special', 'offline_access'],
      'user/Patient.cruds',
      ['patient/Condition.rs', '__special', 'offline_access'],
    ],
    ['a change that they do not have', ['patient/Condition.rs'], 'user/Condition.cud', ['patient/Condition.rs']],
  ])('have lost %s', (_, scopes, taken, rest) => {
    expect(without(scopes, taken)).toEqual(rest);
  });

  it('never permit any of it, and nothing that was not granted', () => {
    const actions = fc.constantFrom('cruds', 'rs', 'cud', 'r', 'us', 'read', 'write', '*');
    const scope = fc
      .tuple(fc.constantFrom('patient', 'user'), fc.constantFrom('*', ...kinds), actions)
      .map(([subject, type, access]) => `${subject}/${type}.${access}`);
    const taken = fc
      .tuple(fc.constantFrom('*', ...kinds), fc.constantFrom('cruds', 'cud'))
      .map(([type, access]) => `user/${type}.${access}`);
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 6 }), taken, (scopes, text) => {
        const rest = without(scopes, text);
        for (const one of rest.map(parseScope)) {
          const permission = permissionOf(text);
          expect(one && permission && overlap(one, permission)).toBe(false);
        }
        const granted = scopes.flatMap((one) => {
          const parsed = parseScope(one);
          return parsed?.kind === 'resource' && parsed.type === '*' ? [one, ...unfold(parsed)] : [one];
        });
        expect(permittedOf(rest, granted)).toEqual(rest);
        expect(without(rest, text)).toEqual(rest);
      }),
    );
  });
});

describe('The permitted part of scopes', () => {
  it.each([
    [
      ['openid', 'patient/Condition.rs'],
      ['openid', 'patient/*.rs'],
      ['openid', 'patient/Condition.rs'],
    ],
    [['patient/Condition.cruds'], ['patient/Condition.rs'], ['patient/Condition.rs']],
    [['patient/*.rs'], ['patient/Condition.rs', 'user/Patient.rs'], ['patient/Condition.rs']],
    [['offline_access', 'nonsense'], ['openid'], []],
  ])('%p under a grant of %p is %p', (scopes, granted, permitted) => {
    expect(permittedOf(scopes, granted)).toStrictEqual(permitted);
    expect(permittedText(scopes.join(' '), granted.join(' '))).toBe(permitted.join(' '));
  });
});
