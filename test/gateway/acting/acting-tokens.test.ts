import { assertAsksAboutShown, withShownIdentifiers } from '../../../src/gateway/domain/acting/asked-patient.js';
import { classify } from '../../../src/gateway/domain/fhir-request.js';
import type { Parameter } from '../../../src/gateway/domain/parameter.js';
import { intersect, isPermitted, isUnlimited } from '../../../src/gateway/domain/permission.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import { type LevelRule, PermittedRecord } from '../../../src/representation/application/permitted-record.js';
import { resultOrRefusal } from '../../support/fhir/refusals.js';

const base = 'https://login.hospital.example/fhir';
const local = (reference: string) => reference;
const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const level = (kinds: LevelRule['kinds'], change: LevelRule['change'] = []): LevelRule => ({
  ...{ id: 'x', label: 'X', kinds, change },
  without: { ...nothing, categories: ['Observation/survey'] },
});
const limited = level(['Observation?category=a,survey', 'Goal', 'Condition'], ['Goal']);

function acting(scope: string, more: { fhirUser?: string; rule?: LevelRule } = {}): TokenPermissions {
  const { rule = limited, ...claims } = more;
  const limit = new PermittedRecord({ levels: [rule], basis: 'voluntary' }, { patient: 'leo', local });
  const token = new TokenPermissions({ scopes: scope.split(' '), patient: 'leo', ...claims }, base);
  return token.within({ limit, protection: { categories: [], codes: [] } });
}

const told = (work: () => unknown) => {
  const found = resultOrRefusal(work);
  return found instanceof Refusal ? `${found.status} ${found.message}` : 'permitted';
};
const request = (token: TokenPermissions, line: string) => {
  const [method = '', target = ''] = line.split(' ');
  return told(() => token.forRequest(classify(method, target)));
};
const observation = (code: string) => ({
  resourceType: 'Observation',
  category: [{ coding: [{ code }] }],
  subject: { reference: 'Patient/leo' },
});

describe('The token of a user who acts for a patient', () => {
  const kept = (what: string) => `403 The user acts for this patient, and ${what} is kept private from them.`;
  const fixed = (type: string) => `403 Resources of the type ${type} cannot be changed with this token.`;

  test.each([
    ['GET /Goal/1', 'patient/*.rs', 'permitted'],
    ['GET /Flag/1', 'patient/*.rs', kept('Flag')],
    ['GET /Flag', 'patient/*.rs', kept('Flag')],
    ['GET /AuditEvent', 'patient/*.rs', kept('AuditEvent')],
    ['GET /RelatedPerson/1', 'patient/*.rs', kept('RelatedPerson')],
    ['GET /Practitioner/1', 'patient/*.rs', 'permitted'],
    [
      'GET /Flag/1',
      'patient/Goal.rs',
      '403 The access token does not allow this. It needs a scope such as patient/Flag.r.',
    ],
    ['GET /Goal/1', 'user/*.rs', '403 The access token does not allow this. It needs a scope such as patient/Goal.r.'],
    [
      'GET /Goal/1',
      'system/*.rs',
      '403 The access token does not allow this. It needs a scope such as patient/Goal.r.',
    ],
    ['POST /Goal', 'patient/*.cruds', 'permitted'],
    ['PUT /Condition/1', 'patient/*.cruds', fixed('Condition')],
    ['DELETE /Flag/1', 'patient/*.cruds', fixed('Flag')],
  ])('%s with %s: %s', (line, scope, expected) => {
    expect(request(acting(scope), line)).toBe(expected);
  });

  test.each([
    ['GET /Flag/1', 'gateway-kept-private', { what: 'Flag', configuration: 'representation.levels' }],
    ['GET /AuditEvent/1', 'gateway-kept-private', { what: 'AuditEvent', configuration: '' }],
    ['PUT /Condition/1', 'gateway-change-not-in-level', {}],
    ['PUT /Consent/1', 'gateway-change-protected', { what: 'a resource of the type Consent' }],
    ['DELETE /Patient/leo', 'gateway-change-protected', { what: 'a resource of the type Patient' }],
  ])('%s is refused for %s', (line, code, detail) => {
    const [method = '', target = ''] = line.split(' ');
    const refused = resultOrRefusal(() => acting('patient/*.cruds').forRequest(classify(method, target)));
    expect((refused as Refusal).finding).toMatchObject({ code, detail });
  });

  it('reads the resource that represents the user, and not the user’s own record', () => {
    const read = (type: string) =>
      request(acting('openid fhirUser patient/Goal.rs', { fhirUser: `${base}/${type}/ana` }), `GET /${type}/ana`);
    expect([read('RelatedPerson'), read('Person')]).toEqual(['permitted', 'permitted']);
    expect(read('Patient')).toContain('403');
    expect(acting('patient/*.rs', { fhirUser: `${base}/Patient/ana` }).patients).toEqual(['leo']);
  });

  it('is limited at each level, in searches, operations and changes alike', () => {
    const token = acting('patient/*.cruds', { rule: level('full', 'full') });
    for (const action of 'cruds') expect([action, token.level('Goal', action)]).toEqual([action, 'some']);
    const server = { local };
    expect(told(() => token.toRun({ type: 'Patient', operation: 'everything' }))).toContain('403');
    const runs = intersect([{ categories: [] }], token.permissionsFor('Observation', 's'));
    expect(isUnlimited(runs)).toBe(false);
    expect([observation('a'), observation('survey')].map((one) => isPermitted(one, runs, server))).toEqual([
      true,
      false,
    ]);
    expect(isUnlimited([{ categories: [], part: { includes: () => true, shown: (one) => one } }])).toBe(false);
  });

  it('changes only what its level lets change', () => {
    const [permission] = acting('patient/*.cruds').permissionsFor('Goal', 'u');
    const goal = { resourceType: 'Goal', subject: { reference: 'Patient/leo' } };
    expect(permission?.part?.includes(goal)).toBe(true);
    expect(permission?.part?.includes(observation('a'))).toBe(false);
    expect(permission?.part?.shown(goal)).toBe(goal);
  });

  test.each([
    ['Observation', ['a'], 'permitted'],
    ['Observation', ['survey'], kept('Observation of this category')],
    ['Observation', ['b,survey'], kept('Observation of this category')],
    ['Observation', ['a,survey'], 'permitted'],
    ['Observation', ['a', 'survey'], kept('Observation of this category')],
    ['Condition', ['survey'], 'permitted'],
    ['Observation', [], 'permitted'],
  ])('asks for %s of the categories %j: %s', (type, values, expected) => {
    expect(told(() => acting('patient/*.rs').assertOpensCategories(type, values))).toBe(expected);
    expect(told(() => new TokenPermissions({ scopes: [] }, base).assertOpensCategories(type, values))).toBe(
      'permitted',
    );
  });

  const part = ['name', 'birthDate', 'gender', 'identifier'];
  test.each<[parameter: string, value: string, asked: boolean[]]>([
    ['identifier', 'x', [true, true, true]],
    ['identifier:not', 'x', [false, true, true]],
    ['family:exact', 'x', [true, true, true]],
    ['birthdate', 'x', [true, true, true]],
    ['_id', 'x', [true, true, true]],
    ['_revinclude', 'Goal:patient', [true, true, true]],
    ['_include', 'Patient:link', [false, true, true]],
    ['_include:iterate', 'Patient:link', [false, true, true]],
    ['_include', 'Patient:unheard-of', [false, false, true]],
    ['_include', '', [false, false, true]],
    ['address-city', 'x', [false, true, true]],
    ['general-practitioner.name', 'x', [false, false, true]],
    ['link', 'x', [false, true, true]],
    ['unheard-of', 'x', [false, false, true]],
    ['_tag', 'x', [false, true, true]],
  ])('asks about a Patient by %s=%s, if a part, all but the contacts or all is shown: %j', (name, value, expected) => {
    const limits = [
      { isPatientInPart: true, showsOfPatient: (element: string) => part.includes(element) },
      { isPatientInPart: false, showsOfPatient: (element: string) => element !== 'contact' },
      { isPatientInPart: false, showsOfPatient: () => true },
    ];
    const asked: Parameter[] = [
      ['gender', 'male'],
      [name, value],
    ];
    const refused = `403 With this token the parameter '${name}' is not supported here.`;
    expect(limits.map((limit) => told(() => assertAsksAboutShown(asked, limit)))).toEqual(
      expected.map((isAsked) => (isAsked ? 'permitted' : refused)),
    );
  });

  test.each([
    ['7', '7'],
    ['urn:mr|7', 'urn:mr|7'],
    ['urn:mr|', 'urn:mr|'],
    ['|8', '|8'],
    ['7,123', '7'],
    ['urn:ss|7', undefined],
    ['urn:ss|', undefined],
    ['|7', undefined],
    ['', ''],
  ])('asks for a Patient by the identifiers %s: %s', (value, expected) => {
    const identifier = [{ system: 'urn:mr', value: '7' }, { value: '8' }];
    const asked: Parameter[] = [
      ['gender', 'male'],
      ['identifier', value],
    ];
    const open = expected === undefined ? undefined : [asked[0], ['identifier', expected]];
    expect(withShownIdentifiers(asked, { identifier })).toEqual(open);
    expect(withShownIdentifiers([['identifier', '7']], undefined)).toBeUndefined();
  });
});

describe('Where accounts may act for patients, a token of one patient', () => {
  const token = (scope: string, claims: { patient?: string; fhirUser?: string } = { patient: 'leo' }) =>
    new TokenPermissions({ scopes: scope.split(' '), ...claims }, base, { protection: { categories: [], codes: [] } });

  test.each(['AuditEvent', 'Consent', 'Person', 'RelatedPerson'])('reads %s and does not write it', (type) => {
    const own = token('patient/*.cruds');
    expect(['r', 's', 'c', 'u', 'd'].map((action) => own.level(type, action))).toEqual([
      ...['some', 'some', 'none', 'none', 'none'],
    ]);
    expect(request(own, `PUT /${type}/1`)).toBe(`403 Resources of the type ${type} cannot be changed with this token.`);
    const staff = { patient: 'leo', fhirUser: `${base}/Practitioner/d` };
    expect(token('user/*.cruds', staff).level(type, 'u')).toBe('all');
    expect(new TokenPermissions({ scopes: ['patient/*.cruds'], patient: 'leo' }, base).level(type, 'u')).toBe('some');
  });

  it('updates the Patient, and does not delete it', () => {
    expect(['u', 'd'].map((action) => token('patient/*.cruds').level('Patient', action))).toEqual(['some', 'none']);
    expect(['u', 'd'].map((action) => token('patient/*.cruds').level('Goal', action))).toEqual(['some', 'some']);
  });
});
