import { representedPart, type ScopeLevel } from '../../src/contract/rules/scopes/represented-scopes.js';
import { parseScope, type SmartScope } from '../../src/contract/rules/scopes/smart-scope.js';

const without = { types: [], categories: [] };
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
    const level = { ...full, without: { types: ['Condition'], categories: ['Observation/social-history'] } };
    expect(part('patient/Condition.rs', level)).toEqual([]);
    expect(part('patient/Observation.rs?category=social-history', level)).toEqual([]);
    expect(part('patient/Observation.rs', level)).toEqual(['patient/Observation.rs']);
    expect(part('patient/*.rs', level)).not.toContain('patient/Condition.rs');
    expect(part('patient/*.rs', level)).toContain('patient/Encounter.rs');
  });
});
