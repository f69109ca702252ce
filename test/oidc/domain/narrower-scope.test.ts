import { parseScope, type SmartScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import { coveredScopes, narrowerPart } from '../../../src/oidc/domain/narrower-scope.js';

const scope = (text: string) => parseScope(text) as SmartScope;
const lab = 'http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

describe('the part of a scope that a granted one permits', () => {
  it.each([
    ['patient/*.rs', 'patient/*.r', 'patient/*.r'],
    ['patient/*.rs', 'patient/Observation.r', 'patient/Observation.r'],
    ['patient/*.rs', 'patient/Observation.rs', 'patient/Observation.rs'],
    ['patient/Observation.rs', 'patient/*.r', 'patient/Observation.r'],
    ['patient/Observation.cruds', 'patient/Observation.read', 'patient/Observation.read'],
    ['patient/Observation.read', 'patient/Observation.s', 'patient/Observation.s'],
    ['patient/Observation.rs', `patient/Observation.r?category=${lab}`, `patient/Observation.r?category=${lab}`],
    [`patient/Observation.rs?category=${lab}`, 'patient/Observation.r', `patient/Observation.r?category=${lab}`],
    [`patient/Observation.rs?category=${lab}`, 'patient/*.s', `patient/Observation.s?category=${lab}`],
    ['patient/*.rs', 'patient/*.c', undefined],
    ['patient/*.rs', 'patient/*.cr', undefined],
    ['patient/Observation.rs', 'patient/Condition.r', undefined],
    ['patient/Observation.rs', 'user/Observation.r', undefined],
    ['patient/Observation.rs?category=a', 'patient/Observation.r?category=b', undefined],
    ['patient/Observation.rs', 'openid', undefined],
    ['openid', 'patient/Observation.rs', undefined],
    ['openid', 'openid', undefined],
  ])('of %s and %s is %s', (granted, asked, part) => {
    expect(narrowerPart(scope(granted), scope(asked))).toBe(part);
  });
});

describe('scopes that are covered', () => {
  it('are the granted ones in their order, and then the narrower ones', () => {
    const granted = ['openid', 'patient/*.rs', 'patient/Condition.r', 'offline_access'];
    const asked = new Set(['patient/Observation.r', 'patient/Condition.r', 'openid', 'user/*.r', 'nonsense', 'launch']);
    expect(coveredScopes(granted, asked)).toEqual(['openid', 'patient/Condition.r', 'patient/Observation.r']);
    expect(coveredScopes([], asked)).toEqual([]);
    expect(coveredScopes(granted, new Set())).toEqual([]);
  });
});
