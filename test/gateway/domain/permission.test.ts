import { ServerNames } from '../../../src/fhir-server/domain/server-names.js';
import { classify, type FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import { isPermitted, isUnlimited, namesOtherCategories } from '../../../src/gateway/domain/permission.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { type TokenClaims, TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import { resultOrRefusal } from '../../support/fhir/refusals.js';

const base = 'https://login.hospital.example/fhir';
const server = new ServerNames(base);
const practitioner = `${base}/Practitioner/d1`;
const patient = `${base}/Patient/p1`;

function request(line: string): FhirRequest {
  const [method = '', target = ''] = line.split(' ');
  return classify(method, target);
}

function opened(line: string, scope: string, facts: Omit<TokenClaims, 'scopes'> = {}): string {
  const token = new TokenPermissions({ scopes: scope.split(' '), ...facts }, base);
  const permissions = resultOrRefusal(() => token.forRequest(request(line)));
  if (permissions instanceof Refusal) return String(permissions.status);
  if (isUnlimited(permissions)) return 'all';
  return permissions.map((one) => [one.patient, ...one.categories].filter(Boolean).join(' ')).join(', ');
}

describe('the permissions of a scope', () => {
  test.each([
    ['GET /Observation', 'system/Observation.s', 'all'],
    ['GET /Observation', 'system/*.rs', 'all'],
    ['GET /Observation', 'system/*.read', 'all'],
    ['GET /Observation', 'system/Observation.r', '403'],
    ['GET /Observation/1', 'system/Observation.s', '403'],
    ['GET /Observation/1', 'system/Observation.r', 'all'],
    ['GET /Observation/1/_history/1', 'system/Observation.r', 'all'],
    ['GET /Observation/1/_history/1', 'system/Observation.cuds', '403'],
    ['GET /Observation/1/_history', 'system/Observation.r', 'all'],
    ['GET /Observation/1/_history', 'system/Observation.cuds', '403'],
    ['GET /Observation/_history', 'system/Observation.s', 'all'],
    ['GET /Observation/_history', 'system/Observation.r', '403'],
    ['POST /Observation/_search', 'system/Observation.s', 'all'],
    ['POST /Observation', 'system/Observation.c', 'all'],
    ['POST /Observation', 'system/Observation.ruds', '403'],
    ['PUT /Observation/1', 'system/Observation.u', 'all'],
    ['PATCH /Observation/1', 'system/Observation.u', 'all'],
    ['PATCH /Observation/1', 'system/Observation.crds', '403'],
    ['DELETE /Observation/1', 'system/Observation.d', 'all'],
    ['DELETE /Observation/1', 'system/Observation.crus', '403'],
    ['DELETE /Observation/1', 'system/Observation.write', 'all'],
    ['GET /Observation/1', 'system/Observation.write', '403'],
    ['GET /Observation/1', 'system/Condition.rs', '403'],
    ['GET /Observation/1', 'openid profile launch offline_access', '403'],
    ['GET /Observation/1', 'system/Observation.$lastn', '403'],
    ['GET /Observation/1', 'system/Observation.sr', '403'],
    ['GET /Subscription/1', 'system/Subscription.r', 'all'],
    ['DELETE /Subscription/1', 'system/Subscription.d', 'all'],
    ['POST /Subscription', 'system/Subscription.cruds', '403'],
    ['PUT /Subscription/1', 'system/Subscription.cruds system/Observation.rs', '403'],
    ['PATCH /Subscription/1', 'system/*.u', '403'],
    ['POST /Subscription', 'system/*.cruds', 'all'],
  ])('for %s with %s are %s', (line, scope, expected) => {
    expect(opened(line, scope)).toBe(expected);
  });

  test.each([
    ['GET /Observation', 'user/Observation.rs', practitioner, 'all'],
    ['GET /Observation', 'user/Observation.rs', `${base}/PractitionerRole/r1`, 'all'],
    ['GET /Observation', 'user/Observation.rs', patient, 'p1'],
    ['GET /Practitioner', 'user/Practitioner.rs', patient, 'all'],
    ['PUT /Practitioner/d1', 'user/Practitioner.cruds', patient, '403'],
    ['GET /Slot', 'user/Slot.rs', patient, '403'],
    ['GET /Observation', 'user/Observation.rs', undefined, '403'],
    ['GET /Observation', 'user/Observation.rs', `${base}/RelatedPerson/r1`, '403'],
    ['GET /Observation', 'user/Observation.rs', `${base}/Device/x`, '403'],
    ['GET /Observation', 'user/Observation.rs', 'Practitioner/d1', '403'],
    ['GET /Observation', 'user/Observation.rs', 'https://other.example/fhir/Practitioner/d1', '403'],
    ['GET /Observation', 'user/Observation.rs', `${base}/Practitioner/d1/_history/1`, '403'],
    ['GET /Observation', 'user/Observation.rs', `${base}/Practitioner/..`, '403'],
    ['GET /Observation', 'user/Observation.rs', `${base}/Practitioner`, '403'],
  ])('for %s with %s of %s are %s', (line, scope, fhirUser, expected) => {
    expect(opened(line, scope, fhirUser === undefined ? {} : { fhirUser })).toBe(expected);
  });

  test.each([
    ['GET /Observation', 'patient/Observation.rs', 'p1', 'p1'],
    ['GET /Patient/p2', 'patient/*.read', 'p1', 'p1'],
    ['GET /Observation', 'patient/Observation.rs', undefined, '403'],
    ['GET /Observation', 'patient/Observation.rs', '../x', '403'],
    ['GET /Device', 'patient/Device.rs', 'p1', 'p1'],
    ['GET /Practitioner/d1', 'patient/*.rs', 'p1', 'all'],
    ['GET /Practitioner', 'patient/Practitioner.rs', 'p1', 'all'],
    ['GET /PractitionerRole/r1', 'patient/PractitionerRole.read', 'p1', 'all'],
    ['GET /Organization/o1', 'patient/Organization.r', 'p1', 'all'],
    ['GET /Location/l1', 'patient/Location.rs', 'p1', 'all'],
    ['GET /Medication/m1', 'patient/Medication.rs', 'p1', 'all'],
    ['GET /Medication/m1', 'patient/Medication.s', 'p1', '403'],
    ['GET /Medication/m1', 'patient/MedicationRequest.rs', 'p1', '403'],
    ['GET /Medication/m1', 'patient/Medication.rs', undefined, '403'],
    ['POST /Location', 'patient/*.cruds', 'p1', '403'],
    ['PUT /Practitioner/d1', 'patient/*.cruds', 'p1', '403'],
    ['DELETE /Organization/o1', 'patient/*.cruds', 'p1', '403'],
    ['GET /Slot', 'patient/*.rs', 'p1', '403'],
    ['GET /Binary/b1', 'patient/*.rs', 'p1', 'p1'],
    ['GET /Binary/b1/_history/2', 'patient/Binary.r', 'p1', 'p1'],
    ['GET /Binary/b1', 'patient/DocumentReference.read', 'p1', ''],
    ['GET /Binary/b1', 'patient/DiagnosticReport.r', 'p1', ''],
    ['GET /Binary/b1', 'patient/Media.rs', 'p1', ''],
    ['GET /Binary/b1', 'patient/Media.s', 'p1', '403'],
    ['GET /Binary/b1', 'patient/Observation.rs', 'p1', '403'],
    ['GET /Binary/b1', 'patient/*.rs', undefined, '403'],
    ['GET /Binary/b1/_history', 'patient/DocumentReference.read', 'p1', '403'],
    ['GET /Binary', 'patient/*.cruds', 'p1', '403'],
    ['POST /Binary', 'patient/*.cruds', 'p1', 'p1'],
    ['PUT /Binary/b1', 'patient/Binary.u', 'p1', 'p1'],
    ['DELETE /Binary/b1', 'patient/DocumentReference.cruds', 'p1', '403'],
    ['POST /Patient', 'patient/*.cruds', 'p1', '403'],
    ['PUT /Patient/p1', 'patient/*.cruds', 'p1', 'p1'],
    ['POST /Observation', 'patient/*.cruds', 'p1', 'p1'],
  ])('for %s with %s for patient %s are %s', (line, scope, inContext, expected) => {
    expect(opened(line, scope, inContext === undefined ? {} : { patient: inContext })).toBe(expected);
  });

  test.each([
    ['GET /Observation', 'patient/Observation.rs?category=http://x|lab', 'p1 http://x|lab'],
    ['GET /Observation', 'patient/Observation.rs?category=a&category=b', 'p1 a b'],
    ['GET /Observation', 'patient/Observation.rs?category=a patient/Observation.rs?category=b', 'p1 a, p1 b'],
    ['GET /Observation', 'patient/Observation.rs?status=final', '403'],
    ['GET /Observation', 'patient/Observation.rs?category=a&status=final', '403'],
    ['GET /Observation', 'patient/Observation.rs?category:not=a', '403'],
    ['GET /Observation', 'patient/Observation.rs?category=http://x|', '403'],
    ['POST /Observation', 'patient/Observation.cruds?category=a', 'p1 a'],
    ['DELETE /Observation/1', 'patient/Observation.cruds?category=a', 'p1 a'],
    ['DELETE /Observation/1', 'patient/Observation.cruds?status=final', '403'],
  ])('for %s with %s in the context of p1 are %s', (line, scope, expected) => {
    expect(opened(line, scope, { patient: 'p1' })).toBe(expected);
  });

  test.each([
    ['GET /Practitioner/d1', 'openid fhirUser patient/*.rs', practitioner, 'all'],
    ['GET /Practitioner/d1', 'openid profile', practitioner, 'all'],
    ['GET /Patient/p1', 'openid fhirUser', patient, 'all'],
    ['GET /Practitioner/d2', 'openid fhirUser', practitioner, '403'],
    ['GET /Practitioner/d1', 'openid', practitioner, '403'],
    ['GET /Practitioner/d1', 'profile', practitioner, '403'],
    ['PUT /Practitioner/d1', 'openid fhirUser', practitioner, '403'],
    ['GET /Practitioner/d1/_history/1', 'openid fhirUser', practitioner, '403'],
    ['GET /Practitioner/d1/_history', 'openid fhirUser', practitioner, '403'],
    ['GET /Practitioner', 'openid fhirUser', practitioner, '403'],
  ])('for %s with %s, as user %s, are %s', (line, scope, fhirUser, expected) => {
    expect(opened(line, scope, { fhirUser })).toBe(expected);
  });

  test.each([
    ['GET /Observation', { patient: 'p1' }, 'patient/Observation.s'],
    ['GET /Practitioner/d1', { patient: 'p1', fhirUser: practitioner }, 'patient/Practitioner.r'],
    ['DELETE /Practitioner/d1', { patient: 'p1', fhirUser: practitioner }, 'user/Practitioner.d'],
    ['POST /Observation', {}, 'system/Observation.c'],
  ])('that are missing for %s are named by the refusal', (line, facts, scope) => {
    const token = new TokenPermissions({ scopes: [], ...facts }, base);
    const refusal = resultOrRefusal(() => token.forRequest(request(line))) as Refusal;
    expect(refusal.message).toContain(scope);
    expect(refusal.challenge).toEqual({ error: 'insufficient_scope', scope });
  });
});

describe('several permissions', () => {
  const permission = (patientId: string | undefined, ...categories: string[]) => ({
    ...(patientId === undefined ? {} : { patient: patientId }),
    categories,
  });

  test('a search prefers the patient in context to the signed-in user', () => {
    const both = [permission('own'), permission('child')];
    const token = new TokenPermissions({ scopes: [], patient: 'child' }, base);
    expect(token.forOneSearch(both)).toEqual([permission('child')]);
    expect(token.forOneSearch([permission('own')])).toEqual([permission('own')]);
  });

  test('a resource is permitted when one permission covers it as a whole', () => {
    const observation = (patientId: string, code: string) => ({
      resourceType: 'Observation',
      subject: { reference: `Patient/${patientId}` },
      category: [{ coding: [{ system: 'http://x', code }] }],
    });
    const some = [permission('p1', 'http://x|lab'), permission('p2')];
    expect(isPermitted(observation('p1', 'lab'), some, server)).toBe(true);
    expect(isPermitted(observation('p1', 'vitals'), some, server)).toBe(false);
    expect(isPermitted(observation('p2', 'vitals'), some, server)).toBe(true);
    expect(isPermitted(observation('p3', 'lab'), some, server)).toBe(false);
  });

  test.each([
    ['lab', true],
    ['http://x|lab', true],
    ['http://y|lab', false],
    ['|lab', false],
    ['|plain', true],
    ['other,http://x|lab', true],
    ['LAB', false],
    ['http://x|y|bar', true],
  ])('the category %s: %s', (category, expected) => {
    const resource = {
      category: [
        { text: 'x' },
        null,
        'y',
        { coding: [{ system: 'http://x', code: 'lab' }, { code: 'plain' }] },
        { coding: { system: 'http://x|y', code: 'bar' } },
      ],
    };
    expect(isPermitted(resource, [permission(undefined, category)], server)).toBe(expected);
  });
});

describe('a search names other categories than the permissions', () => {
  test.each<[string, string[], string[][], boolean]>([
    ['in none of its parameters', ['code=x'], [['s|lab']], false],
    ['by the same one', ['category=s|lab'], [['s|lab']], false],
    ['by its code alone', ['category=lab'], [['s|lab']], false],
    ['by a system alone', ['category=s|lab'], [['lab']], false],
    ['by another code', ['category=s|vital'], [['s|lab']], true],
    ['by another system', ['category=t|lab'], [['s|lab']], true],
    ['by no system', ['category=|lab'], [['s|lab']], true],
    ['by alternatives of which one is right', ['category=vital,lab'], [['s|lab']], false],
    ['by alternatives of which none is right', ['category=vital,other'], [['s|lab']], true],
    ['by a list of the scope', ['category=vital'], [['s|lab,s|vital']], false],
    ['by two, of which one is right', ['category=lab', 'category=vital'], [['s|lab']], true],
    ['by one of two that the scope asks for', ['category=vital'], [['s|lab', 's|vital']], false],
    ['of one of two permissions', ['category=vital'], [['s|lab'], ['s|vital']], false],
    ['of both', ['category=other'], [['s|lab'], ['s|vital']], true],
    ['where one permission has none', ['category=other'], [['s|lab'], []], false],
    ['in a parameter with a modifier', ['category:not=vital'], [['s|lab']], false],
  ])('%s', (_, parameters, lists, expected) => {
    const pairs = parameters.map((one) => one.split('=') as [string, string]);
    expect(
      namesOtherCategories(
        pairs,
        lists.map((categories) => ({ categories })),
      ),
    ).toBe(expected);
  });
});
