import { array, assert, boolean, constantFrom, property, record, subarray } from 'fast-check';
import { scopeCauses } from '../../../src/contract/activity/scopes/scope-causes.js';
import type { ClientSettings } from '../../../src/contract/clients/client-settings.js';
import { parseScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import {
  changedByUser,
  explainContext,
  explainForClient,
  explainForService,
  explainLost,
  shownScope,
} from '../../../src/oidc/domain/scope-explanation.js';
import type { ScopeServers } from '../../../src/oidc/domain/scope-narrowing.js';
import {
  allowedForClient,
  allowedForContext,
  allowedForService,
  parseRequest,
} from '../../../src/oidc/domain/scope-request.js';
import { meantScope } from '../../../src/oidc/domain/scope-spelling.js';
import {
  requestedScope,
  scopeServers,
  scopeSettings,
  unlimited,
  unread,
} from '../../support/clients/scope-policies.js';
import { runs } from '../../support/runs.js';

const requests = array(requestedScope, { maxLength: 20 });
/** Causes that no setting of a client puts right. */
const withoutSetting = [
  ...['scope-separator', 'scope-damaged', 'scope-placeholder', 'scope-management'],
  ...['scope-unreadable', 'scope-misspelled', 'scope-too-long', 'scope-needs-service', 'scope-special-unknown'],
  ...['scope-search-parameter', 'scope-category-value', 'scope-without-category', 'scope-outside-record'],
  ...['scope-actions-of-record', 'scope-operation-of-record', 'scope-type-unknown', 'scope-operation-unknown'],
];

const grantedBy = (verdicts: { granted: readonly string[] }[]) => [
  ...new Set(verdicts.flatMap(({ granted }) => granted)),
];

describe('The explanation of the scopes of a request', () => {
  it('grants what the client may have, for all requests and policies', () => {
    assert(
      property(requests, scopeSettings, scopeServers, (asked, policy, servers) => {
        const texts = [...new Set(asked)];
        const verdicts = explainForClient(texts, policy, servers);
        const allowed = allowedForClient(parseRequest(texts.join(' ')) ?? [], policy, servers);
        expect(grantedBy(verdicts)).toEqual(allowed);
        const services = explainForService(texts, policy, servers);
        const ofService = allowedForService(parseRequest(texts.join(' ')) ?? [], policy, servers);
        if (ofService.forUsers.length === 0) expect(grantedBy(services)).toEqual(ofService.granted);
      }),
      runs(500, 20_000),
    );
  });

  it('names a rule for each scope that is not granted as it was requested, and for no other', () => {
    assert(
      property(requests, scopeSettings, scopeServers, (asked, policy, servers) => {
        for (const { text, granted, changes } of explainForClient(asked, policy, servers)) {
          const isWhole = granted.length === 1 && granted[0] === text;
          expect([text, changes.length > 0]).toEqual([text, !isWhole]);
        }
      }),
      runs(500, 20_000),
    );
  });

  it.each([
    ['a client', explainForClient],
    ['a service', explainForService],
  ])('names the settings that decided: once they are put right, %s gets the scope whole', (_, explain) => {
    assert(
      property(requestedScope, scopeSettings, scopeServers, (text, policy, servers) => {
        const settings: Record<string, unknown> = { ...policy };
        for (
          let named = fieldsNamed(text, settings, servers);
          named.length > 0;
          named = fieldsNamed(text, settings, servers)
        ) {
          for (const field of named) {
            const right = unlimited[field as keyof typeof unlimited];
            // A setting that is right already has not decided.
            expect([text, field, settings[field]]).not.toEqual([text, field, right]);
            settings[field] = right;
          }
        }
        const [last] = explain([text], { ...unlimited, ...settings }, servers);
        const left = last?.changes.map(({ code }) => code) ?? [];
        expect(withoutSetting).toEqual(expect.arrayContaining(left));
        if (left.length === 0) expect(last?.granted).toEqual([text]);
      }),
      runs(1_000, 40_000),
    );

    function fieldsNamed(text: string, settings: object, servers: ScopeServers): string[] {
      const [verdict] = explain([text], { ...unlimited, ...settings }, servers);
      return (verdict?.changes ?? []).flatMap(({ code }) => {
        const { change } = scopeCauses[code] as { change?: { field?: string } };
        return change?.field ?? [];
      });
    }
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
    ['patient/Observation.read.rs', 'patient/Observation.rs'],
    ['patient/Observation.read.write', 'patient/Observation.cruds'],
  ])('of %s is %s', (text, meant) => {
    expect(meantScope(text)).toBe(meant);
  });
});

describe('A scope that the context drops', () => {
  const unknown = { fhirUser: undefined, patient: undefined, launched: false, resources: new Set<string>() };
  const contexts = record({
    fhirUser: constantFrom(undefined, 'Practitioner/1', 'Patient/1'),
    patient: constantFrom(undefined, 'p'),
    launched: boolean(),
    isTrial: boolean(),
    isEnforced: boolean(),
    resources: subarray(['patient', 'encounter']).map((types) => new Set(types)),
  });

  it.each([
    ['launch', unknown, 'scope-not-launched'],
    ['launch/encounter', unknown, 'scope-no-context'],
    ['fhirUser', unknown, 'scope-no-record'],
    ['user/Patient.rs', unknown, 'scope-no-record'],
    ['patient/Patient.rs', unknown, 'scope-no-record'],
    ['patient/Patient.rs', { ...unknown, fhirUser: 'Practitioner/1' }, 'scope-no-patient'],
    ['fhirUser', { ...unknown, patient: 'p', levels: [] }, 'scope-no-related-person'],
  ])('has its reason: %s', (text, context, code) => {
    expect(explainContext([text], context)).toMatchObject([{ code, detail: { scope: text } }]);
  });

  it('is each scope with a meaning that is not allowed, and no other', () => {
    assert(
      property(requests, contexts, (texts, context) => {
        const allowed = allowedForContext(texts, context);
        const dropped = texts.filter((text) => parseScope(text) && !allowed.includes(text)).map(shownScope);
        expect(explainContext(texts, context).map(({ detail }) => detail)).toEqual(
          dropped.map((scope) => expect.objectContaining({ scope })),
        );
      }),
      runs(500, 20_000),
    );
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
    expect(explainLost(scope ? [scope] : [], allowed, unread)).toEqual([{ code, detail: { scope: text, ...detail } }]);
  });
});
