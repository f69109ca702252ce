import type { ClientSettings } from '../../../src/contract/clients/client-settings.js';
import { parseScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import type { Context } from '../../../src/oidc/domain/launch.js';
import {
  changedByUser,
  explainContext,
  explainForClient,
  explainForService,
  explainLost,
} from '../../../src/oidc/domain/scope-explanation.js';
import type { ScopeServers } from '../../../src/oidc/domain/scope-narrowing.js';
import { meantScope } from '../../../src/oidc/domain/scope-spelling.js';

const everything = {
  allowedSmartActions: ['c', 'r', 'u', 'd', 's'],
  allowedSmartLegacyActions: ['*'],
  allowedSmartSubjects: ['patient', 'user', 'system'],
  allowedResourceTypes: [],
  allowedOperationScopes: [],
  allowOfflineAccess: true,
  allowOnlineAccess: true,
  allowContactScopes: true,
  allowFirelySpecialScopes: true,
} as unknown as ClientSettings;
const specialScopes = ['__one', '__two'];
/** Of a server whose scopes another one reads. */
const unread = { specialScopes, served: undefined };
const entry = (code: string, detail: object) => ({ code, detail });

describe('The verdict on a scope', () => {
  const verdict = (text: string, limits: object = {}, servers: ScopeServers = unread) => {
    const settings = { ...everything, ...limits };
    const [ofClient, ...further] = explainForClient([text], settings, servers);
    expect(further).toEqual([]);
    expect(explainForService([text], settings, servers)).toEqual([ofClient]);
    return ofClient;
  };

  it.each([
    ...['patient/Goal.rs', 'user/*.cruds', 'patient/Goal.read', 'user/Patient.$everything', '__one', 'email', 'launch'],
    ...['offline_access', 'online_access', 'patient/Goal.rs?status=final'],
  ])('is that %s is granted whole', (text) => {
    expect(verdict(text)).toEqual({ text, granted: [text], changes: [] });
  });

  it.each<[text: string, limits: object, code: string, detail: object]>([
    ['user/Goal.rs', { allowedSmartSubjects: ['patient'] }, 'scope-subject', { subject: 'user' }],
    ['patient/Goal.cds', { allowedSmartActions: ['r', 'u'] }, 'scope-actions', { actions: 'c, d, s' }],
    ['patient/Goal.write', { allowedSmartLegacyActions: ['read'] }, 'scope-legacy-actions', { actions: 'write' }],
    ['patient/Goal.read', { allowedSmartLegacyActions: ['write'] }, 'scope-legacy-actions', { actions: 'read' }],
    ['patient/Goal.read', { allowedSmartLegacyActions: [] }, 'scope-legacy-actions', { actions: 'read' }],
    ['patient/Goal.write', { allowedSmartLegacyActions: [] }, 'scope-legacy-actions', { actions: 'write' }],
    ['patient/Goal.*', { allowedSmartLegacyActions: [] }, 'scope-legacy-actions', { actions: 'read, write' }],
    [
      'patient/*.cd',
      { allowedSmartActions: ['r'], allowedResourceTypes: ['Goal'] },
      'scope-actions',
      { actions: 'c, d' },
    ],
    ['patient/Goal.rs', { allowedResourceTypes: ['Patient'] }, 'scope-type', { type: 'Goal' }],
    ['patient/Goal.c', { allowedResourceTypes: ['Flag'], allowedSmartActions: ['r'] }, 'scope-type', { type: 'Goal' }],
    ['user/Goal.$run', { allowedSmartSubjects: ['patient'] }, 'scope-subject', { subject: 'user' }],
    ['user/Goal.$run', { allowedResourceTypes: ['Patient'] }, 'scope-type', { type: 'Goal' }],
    ['user/Goal.$run', { allowedOperationScopes: ['user/*.$run'] }, 'scope-operation', {}],
    [
      'user/Goal.$run',
      { allowedOperationScopes: ['user/*.$run'], allowedResourceTypes: ['Goal'] },
      'scope-operation',
      {},
    ],
    [
      'user/*.$run',
      { allowedOperationScopes: ['user/Goal.$run'], allowedResourceTypes: ['Goal'] },
      'scope-operation',
      {},
    ],
    ['offline_access', { allowOfflineAccess: false }, 'scope-offline', {}],
    ['online_access', { allowOnlineAccess: false }, 'scope-online', {}],
    ['email', { allowContactScopes: false }, 'scope-contact', {}],
    ['__one', { allowFirelySpecialScopes: false }, 'scope-special', {}],
    ['__three', {}, 'scope-special-unknown', {}],
  ])('is that %s under %j is dropped: %s', (text, limits, code, detail) => {
    expect(verdict(text, limits)).toEqual({ text, granted: [], changes: [entry(code, { scope: text, ...detail })] });
  });

  it.each<[text: string, limits: object, granted: string[], changes: [string, object][]]>([
    [
      'patient/Goal.cruds?code=a',
      { allowedSmartActions: ['r', 's'] },
      ['patient/Goal.rs?code=a'],
      [['scope-actions-narrowed', { granted: 'patient/Goal.rs?code=…', actions: 'c, u, d' }]],
    ],
    [
      'patient/Goal.*',
      { allowedSmartLegacyActions: ['read'] },
      ['patient/Goal.read'],
      [['scope-legacy-actions-narrowed', { granted: 'patient/Goal.read', actions: 'write' }]],
    ],
    [
      'patient/Goal.*',
      { allowedSmartLegacyActions: ['write'], allowedResourceTypes: ['Goal'] },
      ['patient/Goal.write'],
      [['scope-legacy-actions-narrowed', { granted: 'patient/Goal.write', actions: 'read' }]],
    ],
    [
      'patient/*.rs',
      { allowedResourceTypes: ['Goal', 'Flag'] },
      ['patient/Goal.rs', 'patient/Flag.rs'],
      [['scope-types-narrowed', { granted: 'patient/Goal.rs patient/Flag.rs', count: 2 }]],
    ],
    [
      'patient/*.rs',
      { allowedResourceTypes: ['Goal'] },
      ['patient/Goal.rs'],
      [['scope-types-narrowed', { granted: 'patient/Goal.rs', count: 1 }]],
    ],
    [
      'patient/*.read',
      { allowedResourceTypes: ['Goal'] },
      ['patient/Goal.read'],
      [['scope-types-narrowed', { granted: 'patient/Goal.read', count: 1 }]],
    ],
    [
      'patient/*.cruds',
      { allowedSmartActions: ['r'] },
      ['patient/*.r'],
      [['scope-actions-narrowed', { granted: 'patient/*.r', actions: 'c, u, d, s' }]],
    ],
    [
      'patient/*.ru',
      { allowedSmartActions: ['r'], allowedResourceTypes: ['Goal', 'Flag'] },
      ['patient/Goal.r', 'patient/Flag.r'],
      [
        ['scope-actions-narrowed', { granted: 'patient/Goal.r patient/Flag.r', actions: 'u' }],
        ['scope-types-narrowed', { granted: 'patient/Goal.r patient/Flag.r', count: 2 }],
      ],
    ],
  ])('is that %s under %j is narrowed to %j', (text, limits, granted, changes) => {
    const scope = text.replace('=a', '=…');
    expect(verdict(text, limits)).toEqual({
      text,
      granted,
      changes: changes.map(([code, detail]) => entry(code, { scope, ...detail })),
    });
  });

  const served = { types: ['Patient', 'Observation', 'Goal', 'Slot', 'Organization'] };
  const gateway = { specialScopes, served: { ...served, operations: [{ name: 'match', type: 'Patient' }] } };

  it.each<[text: string, code: string, detail: object]>([
    ['user/Goal.rs?category:not=a', 'scope-search-parameter', { parameter: 'category:not' }],
    ['user/Goal.rs?category=a&status=final', 'scope-search-parameter', { parameter: 'status' }],
    ['patient/*.rs?code=a', 'scope-search-parameter', { parameter: 'code' }],
    ['user/Goal.rs?category=a|b|c', 'scope-category-value', {}],
    ['user/Goal.rs?category=%C3', 'scope-category-value', {}],
    ['user/Goal.rs?category=a%2C', 'scope-category-value', {}],
    ['user/Patient.rs?category=a', 'scope-without-category', { type: 'Patient' }],
    ['patient/Slot.rs', 'scope-outside-record', { type: 'Slot' }],
    ['patient/Slot.*', 'scope-outside-record', { type: 'Slot' }],
    ['patient/Organization.cud', 'scope-actions-of-record', { type: 'Organization', actions: 'cud' }],
    ['patient/Patient.c', 'scope-actions-of-record', { type: 'Patient', actions: 'c' }],
    ['user/Flag.rs', 'scope-type-unknown', { type: 'Flag', nearest: '' }],
    ['user/Flag.$match', 'scope-type-unknown', { type: 'Flag', nearest: '' }],
    ['user/Patients.rs', 'scope-type-unknown', { type: 'Patients', nearest: 'The nearest is Patient.' }],
    [
      'user/Goal.$match',
      'scope-operation-unknown',
      { operation: 'match', nearest: 'It has the operation for: Patient.' },
    ],
    ['user/Patient.$run', 'scope-operation-unknown', { operation: 'run', nearest: '' }],
    ['user/Patient.$mach', 'scope-operation-unknown', { operation: 'mach', nearest: 'The nearest is match.' }],
    ['patient/Patient.$match', 'scope-operation-of-record', { operation: 'match' }],
  ])('is that the gateway permits nothing by %s: %s, whatever the client may have', (text, code, detail) => {
    const scope = text.replace(/=[^&]*/g, '=…');
    for (const limits of [{}, { allowedSmartSubjects: [], allowedResourceTypes: ['Goal'] }]) {
      expect(verdict(text, limits, gateway)).toEqual({
        text,
        granted: [],
        changes: [entry(code, { scope, ...detail })],
      });
    }
    expect(verdict(text)?.granted).toEqual([text]);
  });

  it.each([
    'user/Goal.rs?category=a%7Cb',
    'patient/Organization.cruds',
    'user/Patient.$match',
    'user/*.$match',
    'user/*.rs',
  ])('is that the gateway permits something by %s, which is granted whole', (text) => {
    expect(verdict(text, {}, gateway)).toEqual({ text, granted: [text], changes: [] });
  });

  it('is about the types of a wildcard that open something', () => {
    const limits = { allowedResourceTypes: ['Patient', 'Goal', 'Flag'] };
    expect(verdict('patient/*.rs?category=a', limits, gateway)).toEqual({
      text: 'patient/*.rs?category=a',
      granted: ['patient/Goal.rs?category=a'],
      changes: [
        entry('scope-types-narrowed', {
          scope: 'patient/*.rs?category=…',
          granted: 'patient/Goal.rs?category=…',
          count: 1,
        }),
      ],
    });
    expect(verdict('patient/*.rs?category=a', { allowedResourceTypes: ['Patient', 'Flag'] }, gateway)).toMatchObject({
      granted: [],
      changes: [{ code: 'scope-without-category', detail: { type: 'Patient' } }],
    });
  });

  it.each<[text: string, code: string, detail: object]>([
    ['tomorrow', 'scope-unreadable', { scope: 'tomorrow' }],
    ['address=1&b=2', 'scope-unreadable', { scope: 'address=…&b=…' }],
    ['patient/Goal.Read', 'scope-misspelled', { scope: 'patient/Goal.Read', meant: 'patient/Goal.read' }],
    [
      'patients/Goal.rs?code=a',
      'scope-misspelled',
      { scope: 'patients/Goal.rs?code=…', meant: 'patient/Goal.rs?code=…' },
    ],
    ['x'.repeat(2000), 'scope-unreadable', { scope: 'x'.repeat(2000) }],
    ['x'.repeat(2001), 'scope-too-long', { scope: 'x'.repeat(100), maximum: 2000 }],
    [`a=${'x'.repeat(2100)}&b=1`, 'scope-too-long', { scope: 'a=…', maximum: 2000 }],
  ])('is that %.30s has no meaning: %s', (text, code, detail) => {
    expect(verdict(text)).toEqual({ text, granted: [], changes: [entry(code, detail)] });
  });

  it.each(['system/Goal.rs?code=a', 'system/*.$export'])('is that %s needs a service', (text) => {
    expect(explainForClient([text], everything, unread)).toEqual([
      { text, granted: [], changes: [entry('scope-needs-service', { scope: text.replace('=a', '=…') })] },
    ]);
    expect(explainForService([text], everything, unread)).toEqual([{ text, granted: [text], changes: [] }]);
  });

  it('is given on each in its order', () => {
    const texts = ['openid', 'tomorrow', 'patient/Goal.rs'];
    for (const explain of [explainForClient, explainForService]) {
      expect(explain(texts, everything, unread).map(({ text }) => text)).toEqual(texts);
    }
  });
});

it('Granted scopes that a client may no longer have are explained one by one', () => {
  const texts = ['patient/Goal.rs', 'user/Goal.$run', 'email', 'online_access', '__one', '__three', 'patient/Goal.r'];
  const flags = { allowContactScopes: false, allowOnlineAccess: false, allowFirelySpecialScopes: false };
  const limits = { allowedSmartActions: ['r'], allowedOperationScopes: ['x'], ...flags };
  const scopes = texts.map(parseScope).filter((scope) => scope !== undefined);
  expect(explainLost(scopes, { ...everything, ...limits } as unknown as ClientSettings, unread)).toEqual([
    entry('scope-actions', { scope: 'patient/Goal.rs', actions: 's' }),
    entry('scope-operation', { scope: 'user/Goal.$run' }),
    entry('scope-contact', { scope: 'email' }),
    entry('scope-online', { scope: 'online_access' }),
    entry('scope-special', { scope: '__one' }),
    entry('scope-special-unknown', { scope: '__three' }),
  ]);
});

describe('The rule of the context that drops a scope', () => {
  const context: Context = { fhirUser: undefined, patient: undefined, launched: false, resources: new Set<string>() };
  const user = { ...context, fhirUser: 'Practitioner/1' };
  const trial = { ...context, isTrial: true };
  const patientUser = { ...context, fhirUser: 'Patient/1', patient: '1', isEnforced: true };

  it.each<[text: string, of: Context, code: string, detail?: object]>([
    ['launch', context, 'scope-not-launched'],
    ['launch/patient', context, 'scope-no-context', { type: 'patient' }],
    ['launch/encounter', user, 'scope-no-context', { type: 'encounter' }],
    ['launch/encounter', trial, 'scope-no-context', { type: 'encounter' }],
    ['launch/patient', trial, 'scope-no-test-patient'],
    ['patient/Goal.rs?code=a', trial, 'scope-no-test-patient'],
    ['launch/patient', { ...trial, patient: 'p' }, 'scope-no-context', { type: 'patient' }],
    ['user/Goal.rs', trial, 'scope-of-person'],
    ['fhirUser', trial, 'scope-of-person'],
    ['patient/Goal.rs', context, 'scope-no-record'],
    ['patient/Goal.rs?code=a', user, 'scope-no-patient'],
    ['patient/Goal.rs', { ...user, isTrial: true }, 'scope-no-test-patient'],
    ['user/Goal.rs?code=a', context, 'scope-no-record'],
    ['user/Slot.rs', patientUser, 'scope-outside-record', { type: 'Slot' }],
    ['user/Organization.cu', patientUser, 'scope-actions-of-record', { type: 'Organization', actions: 'cu' }],
    ['user/Patient.$match', patientUser, 'scope-operation-of-record', { operation: 'match' }],
  ])('for %s in %j is %s', (text, of, code, detail = {}) => {
    expect(explainContext([text], of)).toEqual([entry(code, { scope: text.replace('=a', '=…'), ...detail })]);
  });

  it.each<[text: string, of: Context]>([
    ['patient/Goal.rs', { ...trial, patient: 'p' }],
    ['patient/Goal.rs', { ...user, patient: 'p' }],
    ['user/Goal.rs', user],
    ['user/Slot.rs', { ...patientUser, isEnforced: false }],
    ['user/Slot.rs', { ...user, isEnforced: true }],
    ['openid', context],
    ['launch/patient', { ...context, resources: new Set(['patient']) }],
    ['made-up', context],
  ])('for %s in %j is none', (text, of) => {
    expect(explainContext([text], of)).toEqual([]);
  });
});

describe('The choice of a user', () => {
  const unticked = (scope: string) => entry('scope-unticked', { scope });
  const narrowed = (scope: string, granted: string) => entry('scope-unticked-narrowed', { scope, granted });

  it.each<[what: string, offered: string[], granted: string[], entries: object[]]>([
    [
      'by subject',
      ['patient/*.rs', 'user/*.rs'],
      ['user/Goal.rs'],
      [unticked('patient/*.rs'), narrowed('user/*.rs', 'user/Goal.rs')],
    ],
    [
      'by actions',
      ['patient/Goal.cruds', 'patient/Goal.cu'],
      ['patient/Goal.rs'],
      [narrowed('patient/Goal.cruds', 'patient/Goal.rs'), unticked('patient/Goal.cu')],
    ],
    [
      'by type',
      ['patient/Goal.rs', 'patient/Flag.rs'],
      ['patient/Flag.r'],
      [unticked('patient/Goal.rs'), narrowed('patient/Flag.rs', 'patient/Flag.r')],
    ],
    [
      'by query, without its values',
      ['patient/Goal.rs'],
      ['patient/Goal.rs?code=a', 'patient/Goal.r?code=b'],
      [narrowed('patient/Goal.rs', 'patient/Goal.rs?code=… patient/Goal.r?code=…')],
    ],
    [
      'not by a scope that was offered, too',
      ['patient/*.rs', 'patient/Goal.rs'],
      ['patient/Goal.rs'],
      [unticked('patient/*.rs')],
    ],
    ['not by an operation', ['patient/*.rs'], ['patient/Goal.$run', '__one'], [unticked('patient/*.rs')]],
    [
      'and no operation',
      ['user/Goal.$run', '__one'],
      ['user/Goal.rs'],
      [unticked('user/Goal.$run'), unticked('__one')],
    ],
  ])('narrows scopes %s', (_, offered, granted, entries) => {
    expect(changedByUser(offered, granted)).toEqual(entries);
  });
});

describe('The scope that an unreadable one means', () => {
  it.each([
    ...['openid', 'fhirUser', 'profile', 'email', 'phone', 'offline_access', 'online_access'],
    ...['launch', 'launch/patient', 'launch/encounter'],
  ])('in other letters is %s', (word) => {
    expect(meantScope(word === 'fhirUser' ? 'FHIRUSER' : word.toUpperCase())).toBe(word);
  });

  it.each([
    ['SYSTEM/PATIENT.RS', 'system/Patient.rs'],
    ['USER/Goal.rs', 'user/Goal.rs'],
    ['patient/goal', 'patient/Goal.rs'],
    ['patient.Goal:rs', 'patient/Goal.rs'],
    ['patient/zebraQuagga.rs', 'patient/ZebraQuagga.rs'],
    ['patient/DEVICE.rs', 'patient/Device.rs'],
    ['Patient/*.Write', 'patient/*.write'],
    ['user/Patient.delete', 'user/Patient.d'],
    ['user/Patient.update', 'user/Patient.u'],
    ['user/Patient.CREATE?name=x', 'user/Patient.c?name=x'],
    ['user/Patient.ReadWrite', 'user/Patient.*'],
    ['user/Patient.readwrite?name=x', undefined],
    ['user/Patient.read?name=x', 'user/Patient.rs?name=x'],
    ['user/Patient.write?name=x', 'user/Patient.cud?name=x'],
    ['user/Patient.SR', 'user/Patient.rs'],
    ['user/Patient.constructor', undefined],
    ['user/Patient.srx', undefined],
    ['user/Patient.xsr', undefined],
    ['other/Goal.rs', undefined],
    ['patients/Goal.rs?x', undefined],
    ['patient/g.read', undefined],
    ['1patient/Goal.Read', undefined],
    ['patient/Goal.Read!', undefined],
  ])('for %s is %s', (text, meant) => {
    expect(meantScope(text)).toBe(meant);
  });

  it('has 20 letters of access and 300 characters at most', () => {
    const access = (count: number) => `patient/Goal.${'s'.repeat(count - 1)}r`;
    expect([meantScope(access(20)), meantScope(access(21))]).toEqual(['patient/Goal.rs', undefined]);
    const long = (count: number) => 'patients/Goal.rs?code='.padEnd(count, 'a');
    expect(meantScope(long(300))).toBe(`patient/Goal.rs?code=${'a'.repeat(278)}`);
    expect(meantScope(long(301))).toBe(undefined);
  });
});
