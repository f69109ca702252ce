import type { FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import { everything, intersect, isUnlimited } from '../../../src/gateway/domain/permission.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { type TokenClaims, TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import { decisionOf, resultOrRefusal } from '../../support/fhir/refusals.js';

const base = 'https://login.hospital.example/fhir';
const practitioner = { fhirUser: `${base}/Practitioner/d1` };
const asPatient = { fhirUser: `${base}/Patient/p2` };
const token = (scope: string, claims: Omit<TokenClaims, 'scopes'> = { patient: 'p1' }) =>
  new TokenPermissions({ scopes: scope.split(' '), ...claims }, base);
const ofPatient = (patient: string) => ({ patient, categories: [] });
const missing = (scope: string) =>
  `403 forbidden: The access token does not allow this. It needs a scope such as ${scope}.`;

describe('the permissions of a token', () => {
  test('on a type are those of all scopes that name it, in their order', () => {
    const permissions = token('patient/Observation.r?category=a patient/*.rs system/Condition.r launch', {
      patient: 'p1',
    });
    expect(permissions.permissionsFor('Observation', 'r')).toEqual([
      { patient: 'p1', categories: ['a'] },
      ofPatient('p1'),
    ]);
    expect(permissions.permissionsFor('Observation', 's')).toEqual([ofPatient('p1')]);
    expect(permissions.permissionsFor('Condition', 'r')).toEqual([ofPatient('p1'), everything]);
    expect(permissions.permissionsFor('Observation', 'u')).toEqual([]);
    // Operation scopes permit nothing else.
    expect(token('system/Observation.$r').permissionsFor('Observation', 'r')).toEqual([]);
    expect(resultOrRefusal(() => token('system/Patient.rs').toRun({ type: 'Patient' }))).toBeInstanceOf(Refusal);
    // A scope for one type permits nothing of all types.
    expect(token('system/Observation.r').permissionsFor('*', 'r')).toEqual([]);
  });

  test.each<[string, 'all' | 'some' | 'none']>([
    ['system/Observation.r', 'all'],
    ['patient/Observation.r system/*.r', 'all'],
    ['patient/Observation.r', 'some'],
    ['system/Observation.r?category=a', 'some'],
    ['system/Observation.s', 'none'],
    ['system/Observation.r?status=final', 'none'],
    ['system/Observation.r?category=a|b|c', 'none'],
    ['system/Observation.r?category=|', 'none'],
  ])('of %s have the level %s', (scope, level) => {
    expect(token(scope).level('Observation', 'r')).toBe(level);
    expect(token(scope).permitsAll('Observation', 'r')).toBe(level === 'all');
  });

  test('permit all actions or not all', () => {
    expect(token('system/*.rs').permitsAll('*', 'rs')).toBe(true);
    expect(token('system/*.r').permitsAll('*', 'rs')).toBe(false);
    expect(token('system/*.r patient/*.s').permitsAll('*', 'rs')).toBe(false);
  });
});

describe('the permissions to run an operation', () => {
  const toRun = (scope: string, type: string, claims?: Omit<TokenClaims, 'scopes'>) =>
    resultOrRefusal(() => token(scope, claims).toRun({ type, operation: 'everything' }));
  const runs = (scope: string, type: string, claims?: Omit<TokenClaims, 'scopes'>) =>
    decisionOf(() => token(scope, claims).toRun({ type, operation: 'everything' }));

  test.each([
    ['system/Patient.$everything', {}, [everything]],
    ['system/*.$everything', {}, [everything]],
    ['user/Patient.$everything', practitioner, [everything]],
    ['user/Patient.$everything', asPatient, [ofPatient('p2')]],
    ['patient/Patient.$everything', { patient: 'p1' }, [ofPatient('p1')]],
    [
      'user/Patient.$everything patient/*.$everything',
      { ...asPatient, patient: 'p1' },
      [ofPatient('p2'), ofPatient('p1')],
    ],
  ])('of %s for %j are %j', (scope, claims, expected) => {
    expect(toRun(scope, 'Patient', claims)).toStrictEqual(expected);
  });

  test.each([
    ['system/Group.$everything', {}, 'system/Patient.$everything'],
    ['system/Patient.$export', {}, 'system/Patient.$everything'],
    ['system/Patient.cruds', practitioner, 'user/Patient.$everything'],
    ['patient/Patient.$everything', {}, 'system/Patient.$everything'],
    ['user/Patient.$everything', { patient: 'p1' }, 'patient/Patient.$everything'],
  ])('of %s for %j are missing', (scope, claims, named) => {
    expect(runs(scope, 'Patient', claims)).toBe(missing(named));
  });
});

describe('the scope that a refusal names', () => {
  test.each<[string, string, Omit<TokenClaims, 'scopes'>, string]>([
    ['Observation', 's', { patient: 'p1' }, 'patient/Observation.s'],
    ['Observation', 's', { patient: 'p1', ...practitioner }, 'patient/Observation.s'],
    ['Organization', 'r', { patient: 'p1' }, 'patient/Organization.r'],
    ['Organization', 's', { patient: 'p1' }, 'patient/Organization.s'],
    ['Organization', 'u', { patient: 'p1' }, 'system/Organization.u'],
    ['Slot', 'r', { patient: 'p1', ...practitioner }, 'user/Slot.r'],
    ['Observation', 's', practitioner, 'user/Observation.s'],
    ['Observation', 's', {}, 'system/Observation.s'],
  ])('for %s.%s with %j is %s', (type, action, claims, scope) => {
    const refusal = token('', claims).missingScope(type, action);
    expect(refusal).toMatchObject({ status: 403, code: 'forbidden', headers: {} });
    expect(refusal.challenge).toEqual({ error: 'insufficient_scope', scope });
  });

  test('is for all patients where one patient would not be enough', () => {
    expect(token('').missingScopeForAll('Observation', 'rs').challenge?.scope).toBe('system/Observation.rs');
    expect(token('', practitioner).missingScopeForAll('*', 'rs').challenge?.scope).toBe('user/*.rs');
    const write: FhirRequest = { interaction: 'create', type: 'Subscription', parameters: [] };
    expect(decisionOf(() => token('system/Subscription.cruds').forRequest(write))).toBe(missing('system/*.rs'));
  });
});

describe('the user of a token', () => {
  test.each([
    [`${base}/Practitioner/d1`, 'all'],
    [`${base}x/Practitioner/d1`, 'none'],
    [`${base.replace('fhir', 'fake')}/Practitioner/d1`, 'none'],
    [`${base}/Practitioner`, 'none'],
    [`${base}/`, 'none'],
    [base, 'none'],
    [`${base}/Practitioner/d1/x`, 'none'],
  ])('is %s: user/ scopes permit %s', (fhirUser, level) => {
    expect(token('user/*.r', { fhirUser }).level('Observation', 'r')).toBe(level);
  });

  test('may write Subscriptions only with scopes to read everything', () => {
    const write: FhirRequest = { interaction: 'update', type: 'Subscription', parameters: [] };
    expect(decisionOf(() => token('user/Subscription.u user/*.rs', practitioner).forRequest(write))).toBe('permitted');
    expect(decisionOf(() => token('user/Subscription.rus', practitioner).forRequest(write))).toBe(missing('user/*.rs'));
  });
});

describe('the permissions of a search that includes another type', () => {
  const filter = { type: 'Patient', action: 's', shown: false } as const;
  const limited = '403 not-supported: With this token chained searches and repeated includes are not supported.';

  test.each([
    ['system/Patient.s', { ...filter, shown: true }, [everything], 'permitted'],
    ['patient/Patient.s', { ...filter, shown: true }, [ofPatient('p1')], 'permitted'],
    ['system/Patient.s', filter, [everything], 'permitted'],
    ['system/Patient.s', filter, [ofPatient('p1')], limited],
    ['patient/Patient.s', filter, [everything], limited],
    ['system/Patient.r', filter, [everything], missing('patient/Patient.s')],
    ['system/Patient.s', { ...filter, type: '*', shown: true }, [everything], 'permitted'],
    ['system/Patient.s', { ...filter, type: '*' }, [everything], limited],
    ['system/*.s', { ...filter, type: '*' }, [everything], 'permitted'],
  ])('%s, %j, %j: %s', (scope, related, permissions, expected) => {
    expect(decisionOf(() => token(scope).assertPermitsRelated(related, permissions))).toBe(expected);
  });
});

describe('several permissions of one token', () => {
  const lab = { categories: ['lab'] };

  test('intersect to the resources that both permit', () => {
    expect(intersect([everything], [ofPatient('p1'), lab])).toEqual([ofPatient('p1'), lab]);
    expect(intersect([ofPatient('p1')], [lab])).toEqual([{ patient: 'p1', categories: ['lab'] }]);
    expect(intersect([ofPatient('p1')], [ofPatient('p2')])).toHaveLength(0);
    expect(intersect([ofPatient('p1')], [ofPatient('p1')])).toEqual([ofPatient('p1')]);
    expect(intersect([{ categories: ['a'] }], [{ categories: ['b'] }])).toEqual([{ categories: ['a', 'b'] }]);
    expect(intersect([everything], [])).toEqual([]);
    expect('patient' in (intersect([everything], [everything])[0] ?? {})).toBe(false);
  });

  test('are unlimited where one of them is unlimited', () => {
    expect(isUnlimited([ofPatient('p1'), everything])).toBe(true);
    expect(isUnlimited([ofPatient('p1'), lab])).toBe(false);
    expect(isUnlimited([])).toBe(false);
  });

  test('for one search stay unchanged unless all name a patient', () => {
    const mixed = [ofPatient('p1'), everything];
    expect(token('').forOneSearch(mixed)).toEqual(mixed);
    expect(token('', {}).forOneSearch([ofPatient('p2')])).toEqual([ofPatient('p2')]);
  });
});
