import {
  isPartlyPrivate,
  keptPrivateOf,
  namedKinds,
  permitsWhole,
  representedPart,
  type ScopeLevel,
} from '../../src/contract/rules/scopes/represented-scopes.js';
import { parseScope, type SmartScope } from '../../src/contract/rules/scopes/smart-scope.js';

const without = { types: [], categories: [], securityLabels: [], codes: [] };
const full: ScopeLevel = { kinds: 'full', without, change: [] };
const all: ScopeLevel = { ...full, change: 'full' };
const few: ScopeLevel = {
  kinds: ['Condition', 'Observation?category=vital-signs', 'DiagnosticReport.presentedForm', 'contact-details'],
  without,
  change: ['Condition'],
};
const labelled: ScopeLevel = { kinds: ['?_security=MH'], without, change: [] };
const part = (text: string, ...levels: ScopeLevel[]) => representedPart(parseScope(text) as SmartScope, levels);
const wildcardOf = (actions: string) => {
  const ofRecord = ['Condition', 'Observation', 'Patient'].map((type) => `patient/${type}.${actions}`);
  const shared = ['Location', 'Medication', 'Organization', 'Practitioner', 'PractitionerRole'];
  return [...ofRecord, ...shared.map((type) => `patient/${type}.${actions}`)];
};

describe('The part of a scope that a representative grants', () => {
  it.each([
    ['openid', few, ['openid']],
    ['launch/patient', few, ['launch/patient']],
    ['user/Observation.rs', full, []],
    ['user/*.$export', full, []],
    ['patient/Patient.$everything', few, ['patient/Patient.$everything']],
    ['patient/Condition.rs', full, ['patient/Condition.rs']],
    ['patient/Condition.cruds', full, ['patient/Condition.rs']],
    ['patient/Condition.cruds', few, ['patient/Condition.cruds']],
    ['patient/Condition.write', full, []],
    ['patient/Condition.*', full, ['patient/Condition.read']],
    ['patient/Condition.cud', full, []],
    ['patient/Observation.rs', few, ['patient/Observation.rs']],
    ['patient/Observation.rs?category=vital-signs', few, ['patient/Observation.rs?category=vital-signs']],
    [
      'patient/Observation.rs?category=http://x|vital-signs',
      few,
      ['patient/Observation.rs?category=http://x|vital-signs'],
    ],
    ['patient/Observation.rs?category=laboratory', few, []],
    ['patient/DiagnosticReport.rs', few, []],
    ['patient/Patient.rs', few, ['patient/Patient.rs']],
    ['patient/Practitioner.rs', few, ['patient/Practitioner.rs']],
    ['patient/AuditEvent.rs', full, []],
    ['patient/AuditEvent.rs', few, []],
    ['patient/Condition.rs', labelled, ['patient/Condition.rs']],
    ['patient/DocumentReference.rs', labelled, []],
    ['patient/*.rs', full, ['patient/*.rs']],
    ['patient/*.cruds', all, ['patient/*.cruds']],
    ['patient/*.rs', few, wildcardOf('rs')],
    ['patient/*.read', few, wildcardOf('read')],
  ] satisfies [string, ScopeLevel, string[]][])('%s', (text, level, expected) => {
    expect(part(text, level)).toEqual(expected);
  });

  it('changes only kinds of which the level says so', () => {
    const granted = part('patient/*.cruds', few);
    expect(granted).toContain('patient/Condition.cruds');
    expect(granted).toContain('patient/Observation.rs');
    expect(granted.filter((text) => text.endsWith('.cruds'))).toHaveLength(1);
  });

  it('is what all levels permit', () => {
    expect(part('patient/*.rs', full, few)).toEqual(part('patient/*.rs', few));
    expect(part('patient/*.rs', few, labelled)).toEqual(part('patient/*.rs', few));
    expect(part('patient/Observation.rs', few, { ...few, kinds: ['Condition'] })).toEqual([]);
  });

  it('has nothing of an excluded type or category', () => {
    const level = {
      ...full,
      without: { ...without, types: ['Condition'], categories: ['Observation/social-history'] },
    };
    expect(part('patient/Condition.rs', level)).toEqual([]);
    expect(part('patient/Observation.rs?category=social-history', level)).toEqual([]);
    expect(part('patient/Observation.rs', level)).toEqual(['patient/Observation.rs']);
    expect(part('patient/*.rs', level)).not.toContain('patient/Condition.rs');
    expect(part('patient/*.rs', level)).toContain('patient/Encounter.rs');
  });
});

describe('What a level keeps private of a request', () => {
  const unfold = () => ['patient/Condition.rs', 'patient/Encounter.rs', 'patient/Location.rs'];
  const kept = (asked: string, ...levels: ScopeLevel[]) => keptPrivateOf(asked.split(' '), levels, unfold);

  it.each([
    ['openid launch/patient offline_access user/Encounter.rs patient/Patient.$everything', few, []],
    ['patient/Condition.rs patient/Encounter.rs', few, ['patient/Encounter.rs']],
    ['patient/Encounter.cruds patient/Encounter.read', few, ['patient/Encounter.rs']],
    ['patient/Observation.rs?category=laboratory', few, ['patient/Observation.rs?category=laboratory']],
    ['patient/Observation.rs', few, []],
    // What may be seen and not changed is not private.
    ['patient/Observation.rs patient/Observation.c', few, []],
    ['patient/Condition.c', full, []],
    ['patient/Encounter.c', few, ['patient/Encounter.rs']],
    ['patient/*.rs', few, ['patient/Encounter.rs']],
    ['patient/*.rs', full, []],
    ['patient/*.cruds', full, []],
    ['patient/*.rs', { ...full, without: { ...without, types: ['Condition'] } }, ['patient/Condition.rs']],
  ] satisfies [string, ScopeLevel, string[]][])('of %s', (asked, level, expected) => {
    expect(kept(asked, level)).toEqual(expected);
  });

  it('is what one of the levels leaves out', () => {
    expect(kept('patient/Condition.rs patient/Encounter.rs', full, few)).toEqual(['patient/Encounter.rs']);
  });
});

describe('A kind of which a part may be kept private', () => {
  const codes = [{ element: 'MedicationRequest/medication' }];
  it.each([
    ['patient/Condition.rs', full, false],
    ['patient/*.rs', full, false],
    ['openid', few, false],
    ['patient/Location.rs', labelled, false],
    ['patient/Condition.rs', few, false],
    ['patient/Patient.rs', few, false],
    ['patient/Patient.rs', { ...few, kinds: ['Condition'] }, true],
    ['patient/Observation.rs', few, true],
    ['patient/Observation.rs?category=vital-signs', few, false],
    ['patient/DiagnosticReport.rs', { ...few, kinds: ['DiagnosticReport'] }, true],
    ['patient/DiagnosticReport.rs', { ...few, kinds: ['DiagnosticReport', 'DiagnosticReport.presentedForm'] }, false],
    ['patient/Condition.rs', labelled, true],
    ['patient/Condition.rs', { ...full, without: { ...without, securityLabels: ['MH'] } }, true],
    ['patient/MedicationRequest.rs', { ...full, without: { ...without, codes } }, true],
    ['patient/Condition.rs', { ...full, without: { ...without, codes } }, false],
    ['patient/*.rs', { ...full, without: { ...without, codes } }, true],
    ['patient/Observation.rs', { ...full, without: { ...without, categories: ['Observation/survey'] } }, true],
  ] satisfies [string, ScopeLevel, boolean][])('%s', (text, level, expected) => {
    expect(isPartlyPrivate(text, [level])).toBe(expected);
    expect(isPartlyPrivate(text, [full, level])).toBe(expected);
  });

  it('is never listed as a whole', () => {
    expect(permitsWhole('Condition', [full, few])).toBe(true);
    expect(permitsWhole('Practitioner', [few])).toBe(true);
    expect(permitsWhole('Observation', [few])).toBe(false);
    expect(permitsWhole('Encounter', [few])).toBe(false);
    expect(permitsWhole('Encounter', [{ ...full, without: { ...without, types: ['Encounter'] } }])).toBe(false);
  });
});

it('The kinds that levels name are those that all of them permit, each category by itself', () => {
  const goals = { ...few, kinds: ['Goal', 'Condition', 'Observation'] };
  const vital = 'Observation?category=vital-signs';
  expect(namedKinds([full])).toBeUndefined();
  expect(namedKinds([few])).toEqual(['Condition', vital, 'DiagnosticReport.presentedForm', 'contact-details']);
  expect(namedKinds([full, goals, few])).toEqual(['Condition', vital]);
  expect(namedKinds([few, goals])).toEqual(['Condition', vital]);
  expect(namedKinds([{ ...goals, kinds: [...goals.kinds, vital] }])).toEqual([...goals.kinds, vital]);
  expect(namedKinds([{ ...few, kinds: ['Observation?category=http://x|vital-signs,laboratory'] }])).toEqual([
    vital,
    'Observation?category=laboratory',
  ]);
  expect(namedKinds([{ ...few, without: { ...without, categories: ['Observation/vital-signs'] } }])).not.toContain(
    vital,
  );
  expect(namedKinds([labelled])).toEqual(['?_security=MH']);
  expect(namedKinds([labelled, few])).toEqual(['Condition', vital]);
});
