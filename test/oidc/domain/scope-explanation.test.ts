import {
  type Arbitrary,
  array,
  assert,
  constantFrom,
  oneof,
  property,
  record,
  shuffledSubarray,
  string,
} from 'fast-check';
import type { ClientSettings } from '../../../src/contract/clients/client-settings.js';
import { parseScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import {
  changedByUser,
  droppedByContext,
  explainForClient,
  explainForService,
  explainLost,
  shownScope,
} from '../../../src/oidc/domain/scope-explanation.js';
import { allowedForClient, allowedForService, parseRequest } from '../../../src/oidc/domain/scope-request.js';
import { meantScope } from '../../../src/oidc/domain/scope-spelling.js';
import { runs } from '../../support/runs.js';

const types = ['Patient', 'Observation', 'Condition'];
const special = ['__one', '__two'];
const boolean = constantFrom(true, false);
const policies = record({
  allowedSmartActions: shuffledSubarray(['c', 'r', 'u', 'd', 's']),
  allowedSmartLegacyActions: shuffledSubarray(['read', 'write', '*']),
  allowedSmartSubjects: shuffledSubarray(['patient', 'user', 'system']),
  allowedResourceTypes: shuffledSubarray(types),
  allowedOperationScopes: shuffledSubarray(['patient/Patient.$everything', 'system/*.$export']),
  allowOfflineAccess: boolean,
  allowOnlineAccess: boolean,
  allowContactScopes: boolean,
  allowFirelySpecialScopes: boolean,
}) as unknown as Arbitrary<ClientSettings>;
const resource = record({
  subject: constantFrom('patient', 'user', 'system', 'Patient'),
  type: constantFrom('*', 'Goal', 'observation', ...types),
  access: constantFrom(
    'read',
    'write',
    '*',
    'r',
    'rs',
    'cruds',
    'cud',
    'u',
    'sr',
    'Read',
    '$everything',
    '$export',
    'rs?category=a',
  ),
}).map(({ subject, type, access }) => `${subject}/${type}.${access}`);
const word = constantFrom(
  'openid',
  'fhirUser',
  'email',
  'launch',
  'launch/patient',
  'offline_access',
  'online_access',
  ...special,
  '__three',
);
const requests = array(
  oneof(
    resource,
    word,
    string({ maxLength: 20 }).map((text) => text.replaceAll(' ', '')),
  ),
  { maxLength: 20 },
);

const grantedBy = (verdicts: { granted: string[] }[]) => [...new Set(verdicts.flatMap(({ granted }) => granted))];

describe('The explanation of the scopes of a request', () => {
  it('grants what the client may have, for all requests and policies', () => {
    assert(
      property(requests, policies, (asked, policy) => {
        const texts = [...new Set(asked)].filter((text) => text !== '');
        const verdicts = explainForClient(texts, policy, special);
        const allowed = allowedForClient(parseRequest(texts.join(' ')) ?? [], policy, special);
        expect(grantedBy(verdicts)).toEqual(allowed);
        const services = explainForService(texts, policy, special);
        const ofService = allowedForService(parseRequest(texts.join(' ')) ?? [], policy, special);
        if (ofService) expect(grantedBy(services)).toEqual(ofService);
      }),
      runs(500, 20_000),
    );
  });

  it('names a rule for each scope that is not granted as it was requested, and for no other', () => {
    assert(
      property(requests, policies, (asked, policy) => {
        for (const { text, granted, changes } of explainForClient(
          asked.filter((one) => one !== ''),
          policy,
          special,
        )) {
          const isWhole = granted.length === 1 && granted[0] === text;
          expect([text, changes.length > 0]).toEqual([text, !isWhole]);
        }
      }),
      runs(500, 20_000),
    );
  });
});

describe('The spelling that a scope probably means', () => {
  it.each([
    ['patient/Observation.Read', 'patient/Observation.read'],
    ['launch/Patient', 'launch/patient'],
    ['system/Patient.search', 'system/Patient.s'],
    ['patient/observation.dus', 'patient/Observation.uds'],
    ['patients/Observation.rs', 'patient/Observation.rs'],
    ['patient/Observations.rs', 'patient/Observation.rs'],
    ['patient/Practitioners.rs', 'patient/Practitioner.rs'],
    ['patient:Condition.read', 'patient/Condition.read'],
    ['user/*', 'user/*.rs'],
    ['user/Patient.create', 'user/Patient.c'],
    ['user/Patient.all', 'user/Patient.*'],
    ['user/Patient.*?name=x', 'user/Patient.cruds?name=x'],
    ['OpenID', 'openid'],
    ['offline', undefined],
    ['', undefined],
    ['openid', undefined],
    ['patient/Observation.rs', undefined],
    ['tomorrow', undefined],
    ['x'.repeat(10_000), undefined],
  ])('of %s is %s', (text, meant) => {
    expect(meantScope(text)).toBe(meant);
  });
});

describe('A scope that the context drops', () => {
  const unknown = { fhirUser: undefined, patient: undefined, launched: false, resources: new Set<string>() };

  it.each([
    ['launch', unknown, 'scope-not-launched'],
    ['launch/encounter', unknown, 'scope-no-context'],
    ['fhirUser', unknown, 'scope-no-record'],
    ['user/Patient.rs', unknown, 'scope-no-record'],
    ['patient/Patient.rs', unknown, 'scope-no-record'],
    ['patient/Patient.rs', { ...unknown, fhirUser: 'Practitioner/1' }, 'scope-no-patient'],
  ])('has its reason: %s', (text, context, code) => {
    expect(droppedByContext(text, context)).toMatchObject({ code, detail: { scope: text } });
  });
});

it('The choice of a user drops what was not ticked, and narrows what was ticked in part', () => {
  const offered = ['openid', 'patient/*.rs', 'user/Goal.c', 'patient/Goal.rs?category=a'];
  const granted = ['openid', 'patient/Patient.rs', 'patient/Observation.r'];
  expect(changedByUser(offered, granted)).toEqual([
    {
      code: 'scope-unticked-narrowed',
      detail: { scope: 'patient/*.rs', granted: 'patient/Patient.rs patient/Observation.r' },
    },
    { code: 'scope-unticked', detail: { scope: 'user/Goal.c' } },
    { code: 'scope-unticked', detail: { scope: 'patient/Goal.rs?category=…' } },
  ]);
  expect(changedByUser(granted, granted)).toEqual([]);
});

it('The ticked part of a scope is not that of another one, which permits only some of its actions', () => {
  expect(changedByUser(['patient/*.rs', 'patient/Goal.cruds'], ['patient/Goal.cr'])).toEqual([
    { code: 'scope-unticked', detail: { scope: 'patient/*.rs' } },
    { code: 'scope-unticked-narrowed', detail: { scope: 'patient/Goal.cruds', granted: 'patient/Goal.cr' } },
  ]);
});

it('An entry has no value of a search parameter', () => {
  expect(shownScope('patient/Observation.rs?category=a|b&code=c')).toBe('patient/Observation.rs?category=…&code=…');
});

describe('A granted scope that a client may no longer have', () => {
  const allowed = {
    allowedSmartSubjects: ['patient'],
    allowedSmartActions: ['r'],
    allowedSmartLegacyActions: ['read'],
    allowedResourceTypes: ['Patient'],
    allowedOperationScopes: [],
  } as unknown as ClientSettings;

  it.each([
    ['user/Patient.r', 'scope-subject', { subject: 'user' }],
    ['patient/Patient.rs', 'scope-actions', { actions: 's' }],
    ['patient/Patient.*', 'scope-legacy-actions', { actions: 'write' }],
    ['patient/Observation.r', 'scope-type', { type: 'Observation' }],
    ['patient/*.r', 'scope-type', { type: 'every type' }],
    ['patient/*.rs', 'scope-actions', { actions: 's' }],
    ['offline_access', 'scope-offline', {}],
  ])('%s: %s', (text, code, detail) => {
    const scope = parseScope(text);
    expect(explainLost(scope ? [scope] : [], allowed, [])).toEqual([{ code, detail: { scope: text, ...detail } }]);
  });
});
