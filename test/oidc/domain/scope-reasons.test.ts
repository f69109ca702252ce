import type { ScopeLevel } from '../../../src/contract/rules/scopes/represented-scopes.js';
import { managementScope } from '../../../src/oidc/domain/access-tokens.js';
import type { Context } from '../../../src/oidc/domain/launch.js';
import {
  explainContext,
  explainForClient,
  explainNoneLeft,
  type ScopeEntry,
} from '../../../src/oidc/domain/scope-explanation.js';
import { unlimited, unread } from '../../support/clients/scope-policies.js';

const goal = 'patient/Goal.rs';
const nothing: Context = { fhirUser: undefined, patient: undefined, launched: false, resources: new Set() };
const none: ScopeLevel['without'] = { types: [], categories: [], securityLabels: [], codes: [] };
const contextEntry = (text: string, context: Partial<Context>) => explainContext([text], { ...nothing, ...context })[0];

const serving = { specialScopes: [], served: { types: ['Patient'], operations: [] } };

function changeOf(text: string, servers = unread): ScopeEntry | undefined {
  return explainForClient([text], unlimited, servers)[0]?.changes[0];
}

describe('A scope that cannot be read', () => {
  it.each([
    [',', 'commas'],
    ['+', 'plus signs'],
    [';', 'semicolons'],
    ['|', 'vertical lines'],
    ['&', 'ampersands'],
  ])('is several with %s between them: %s', (separator, separators) => {
    const scope = ['openid', goal].join(separator);
    expect(changeOf(scope)).toEqual({ code: 'scope-separator', detail: { scope, separators } });
    const halves = ['openid', 'x', separator].join(separator);
    expect(changeOf(halves)?.code).not.toBe('scope-separator');
    const most = `openid${separator}${separator}x${separator}${goal}${separator}`;
    expect(changeOf(most)?.code).toBe('scope-separator');
  });

  it('is told in its first 200 characters if it is several', () => {
    const text = Array.from({ length: 20 }, () => goal).join(',');
    expect(changeOf(text)?.detail).toEqual({ scope: text.slice(0, 200), separators: 'commas' });
  });

  it.each([
    ['"openid"', 'scope-damaged', { meant: 'openid', damage: 'it stands between " and "' }],
    ['patient%2FGoal.rs', 'scope-damaged', { meant: goal, damage: 'it is percent-encoded' }],
    ['YOUR_SCOPE', 'scope-placeholder', {}],
    ['__three', 'scope-special-unknown', {}],
    [managementScope, 'scope-management', {}],
  ])('%s: %s', (scope, code, detail) => {
    expect(changeOf(scope)).toEqual({ code, detail: { scope, ...detail } });
  });
});

describe('An operation that the server does not have', () => {
  const types = ['Patient', 'Group', 'Observation'];
  const operations = [
    { name: 'everything', type: 'Patient' },
    { name: 'lastn', type: null },
    { name: 'match', type: 'Group' },
    { name: 'match', type: 'Observation' },
  ];

  it.each([
    ['user/Patient.$match', 'It has the operation for: Group, Observation.'],
    ['user/Patient.$lastm', 'The nearest is lastn.'],
    ['user/Patient.$everythin', 'The nearest is everything.'],
    ['user/Group.$everythin', ''],
    ['user/Patient.$matches', ''],
  ])('is told with what it may mean: %s', (scope, nearest) => {
    const servers = { specialScopes: [], served: { types, operations } };
    expect(changeOf(scope, servers)).toMatchObject({ code: 'scope-operation-unknown', detail: { nearest } });
  });
});

describe('A scope without its part of the context', () => {
  it.each<[text: string, context: Partial<Context>, code: string]>([
    ['launch/encounter', { hasChosen: true }, 'scope-choice-skipped'],
    ['launch/encounter', { isTrial: true }, 'scope-no-context'],
    ['launch/patient', { isTrial: true }, 'scope-no-test-patient'],
    [goal, { fhirUser: 'Practitioner/1', hasChosen: true }, 'scope-patient-skipped'],
    [goal, { fhirUser: 'Practitioner/1', isTrial: true }, 'scope-no-test-patient'],
    [goal, { hasChosen: true, isWithdrawn: true }, 'scope-patient-withdrawn'],
    ['launch/patient', { hasChosen: true, isWithdrawn: true }, 'scope-patient-withdrawn'],
    ['launch/encounter', { hasChosen: true, isWithdrawn: true }, 'scope-choice-skipped'],
    ['fhirUser', { isTrial: true }, 'scope-of-person'],
  ])('%s with %j: %s', (text, context, code) => {
    expect(contextEntry(text, context)).toMatchObject({ code, detail: { scope: text } });
  });
});

describe('The scope of a user who acts for a patient', () => {
  const level = (kinds: ScopeLevel['kinds'], without = none): ScopeLevel => ({ kinds, without, change: 'full' });
  const acting = (one: ScopeLevel) => ({ patient: '1', fhirUser: 'RelatedPerson/1', levels: [one] });

  it.each([
    ['user/Goal.rs', 'scope-acting-user'],
    ['patient/Condition.rs', 'scope-level'],
  ])('%s: %s', (scope, code) => {
    expect(contextEntry(scope, acting(level(['Goal'])))).toEqual({ code, detail: { scope } });
  });

  it.each<[scope: string, kinds: ScopeLevel['kinds'], change: ScopeLevel['change'], codes: string[]]>([
    ['patient/Goal.cruds', 'full', [], ['scope-level-change']],
    ['patient/Goal.c', 'full', [], ['scope-level-change']],
    ['patient/Goal.write', ['Goal'], [], ['scope-level-change']],
    ['patient/Goal.cruds', ['Goal'], ['Goal'], []],
    ['patient/Goal.cruds', 'full', 'full', []],
    ['patient/Goal.c', ['Flag'], [], ['scope-level']],
    ['patient/Goal.rs', 'full', [], []],
    ['patient/*.cruds', 'full', ['Goal'], ['scope-level-change']],
    ['patient/*.cruds', 'full', 'full', []],
    ['patient/Practitioner.cruds', 'full', [], []],
    ['user/Goal.cruds', 'full', [], ['scope-acting-user']],
  ])('%s at a level of %j that may change %j: %j', (scope, kinds, change, codes) => {
    const entries = explainContext([scope], { ...nothing, ...acting({ kinds, without: none, change }) });
    expect(entries.map(({ code }) => code)).toEqual(codes);
    expect(entries.every(({ detail }) => 'scope' in detail && detail.scope === scope)).toBe(true);
  });

  it('names the kinds that the level leaves out of a wildcard, or those that it does not', () => {
    const few = contextEntry('patient/*.rs', acting(level('full', { ...none, types: ['Goal', 'Flag'] })));
    expect(few).toEqual({
      code: 'scope-level-narrowed',
      detail: { scope: 'patient/*.rs', kinds: 'AuditEvent, Flag, Goal' },
    });
    const most = contextEntry('patient/*.rs', acting(level(['Goal', 'Flag'])));
    expect(most).toEqual({
      code: 'scope-level-narrowed',
      detail: {
        scope: 'patient/*.rs',
        kinds: 'all but Flag, Goal, Patient, Location, Medication, Organization, Practitioner, PractitionerRole',
      },
    });
    expect(contextEntry('patient/Goal.rs', acting(level(['Goal'])))).toBe(undefined);
    expect(contextEntry('openid', acting(level('full')))).toBe(undefined);
  });
});

describe('A request of which nothing is left', () => {
  it('has the reasons of its scopes, three at most, and what to change', () => {
    const entries = [
      ...explainContext(['launch', 'fhirUser', 'launch'], nothing),
      ...explainForClient(
        ['offline_access', '__three', 'x'],
        { ...unlimited, allowOfflineAccess: false },
        unread,
      ).flatMap(({ changes }) => changes),
    ];
    expect(explainNoneLeft(6, entries)).toEqual({
      asked: 6,
      reason: 'The launch parameter is missing',
      reasons:
        'The launch parameter is missing: launch. The account has no FHIR record: fhirUser. Offline access is not allowed for the client: offline_access.',
      told: 'The scope launch is for EHR launches, and you sent no launch. Request launch/patient instead. The scope fhirUser needs an account with a record on the FHIR server. Your client may not have offline_access, so it gets no refresh token that outlives the session.',
      remedy:
        'Have the app send the launch that the EHR gave it, or request launch/patient. Link the account to its FHIR record under Users; if it only acts for others, have the app ask for a patient. Turn on Offline access.',
      field: 'allowOfflineAccess',
      configuration: '',
    });
  });

  it('names the key of the configuration that puts one right, if no setting of the client does', () => {
    const ofServer = ['x,y', '__three', 'patient/Odd.rs'].flatMap((text) => changeOf(text, serving) ?? []);
    expect(explainNoneLeft(3, ofServer)).toMatchObject({ field: '', configuration: 'fhir.specialScopes' });
    const lasting = explainForClient(['offline_access'], { ...unlimited, allowOfflineAccess: false }, unread);
    const both = [...ofServer, ...lasting.flatMap(({ changes }) => changes)];
    expect(explainNoneLeft(4, both)).toMatchObject({ field: 'allowOfflineAccess', configuration: '' });
    expect(String(explainNoneLeft(4, both).reasons).split('. ')).toHaveLength(3);
  });

  it('says so for scopes without entries', () => {
    const unknown = { reason: 'each was dropped', remedy: 'See what dropped each of the scopes.' };
    const empty = { reasons: '', told: '', field: '', configuration: '' };
    expect(explainNoneLeft(0, [])).toEqual({ asked: 0, ...unknown, ...empty });
  });
});
