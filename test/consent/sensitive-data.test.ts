import { SensitiveData } from '../../src/consent/domain/sensitive-data.js';

const hl7 = 'http://terminology.hl7.org/CodeSystem';
const data = new SensitiveData({
  types: ['FamilyMemberHistory'],
  categories: ['Observation/social-history'],
  securityLabels: ['PSY', `${hl7}/v3-ActCode|HIV`],
});

describe('What a scope permits is sensitive', () => {
  it.each([
    ['patient/FamilyMemberHistory.rs', 'all'],
    ['patient/FamilyMemberHistory.cud?status=completed', 'all'],
    [`patient/Observation.rs?category=${hl7}/observation-category|social-history`, 'all'],
    ['patient/Observation.rs?category=social-history&status=final', 'all'],
    ['patient/Observation.rs?category=a|1.0|social-history', 'all'],
    ['patient/Observation.rs?category=social-history,laboratory', 'some'],
    ['patient/Observation.rs?category=laboratory', 'none'],
    ['patient/Observation.rs?category=laboratory&_security=N,PSY', 'some'],
    ['patient/Observation.rs', 'some'],
    ['patient/Observation.rs?status=final', 'some'],
    ['patient/Condition.rs?category=social-history', 'none'],
    ['patient/Condition.rs', 'none'],
    ['patient/Condition.rs?_security=PSY', 'all'],
    [`patient/Condition.rs?_security=${hl7}/v3-ActCode|PSY`, 'all'],
    [`patient/Condition.rs?_security=${hl7}/v3-ActCode|HIV`, 'all'],
    ['patient/Condition.rs?_security=HIV', 'all'],
    ['patient/Condition.rs?_security=http://other.example|HIV', 'none'],
    ['patient/Condition.rs?_security=N,PSY', 'some'],
    ['patient/Condition.rs?_security=PSY,HIV', 'all'],
    ['patient/Observation.rs?category=laboratory&_security=PSY', 'all'],
    ['patient/*.rs', 'some'],
    ['patient/*.rs?category=social-history', 'all'],
    ['openid', 'none'],
    ['user/Patient.$everything', 'none'],
    ['unknown', 'none'],
  ])('of %s: %s', (scope, sensitivity) => {
    expect(data.sensitivityOf(scope)).toBe(sensitivity);
  });

  it('of a wildcard where only a type is, and of nothing without configuration', () => {
    const none = { types: [], categories: [], securityLabels: [] };
    expect(new SensitiveData({ ...none, types: ['Goal'] }).sensitivityOf('patient/*.rs')).toBe('some');
    expect(new SensitiveData(none).sensitivityOf('patient/*.rs')).toBe('none');
  });
});
