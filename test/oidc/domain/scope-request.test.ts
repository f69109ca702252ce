import { defaultClientForm } from '../../../src/contract/rules/clients/client-fields.js';
import type { Context } from '../../../src/oidc/domain/launch.js';
import {
  allowedForClient,
  allowedForContext,
  allowedForService,
  needsAudience,
  parseRequest,
} from '../../../src/oidc/domain/scope-request.js';

const any = { specialScopes: [], served: undefined };
const read = (text: string) => parseRequest(text) ?? [];
const settings = defaultClientForm();
const everyScope = { ...settings, allowOfflineAccess: true, allowOnlineAccess: true, allowContactScopes: true };
const erase = 'http://server.fire.ly/auth/scope/erase-operation';
const withErase = { specialScopes: [erase], served: undefined };

describe('the scopes of a request', () => {
  it('are those with a meaning, each once', () => {
    const texts = read('openid patient/Goal.rs openid patient/Goal.sr address').map(({ text }) => text);
    expect(texts).toEqual(['openid', 'patient/Goal.rs']);
    expect(parseRequest(undefined)).toHaveLength(0);
  });

  it('are 500 at most', () => {
    const scopes = (count: number) => Array.from({ length: count }, (_, index) => `__scope${index}`).join(' ');
    expect(parseRequest(scopes(500))).toHaveLength(500);
    expect(parseRequest(scopes(501))).toBeUndefined();
  });

  it.each([
    ['openid patient/Goal.rs', true],
    ['openid launch/patient', true],
    ['openid user/Patient.$everything', true],
    ['openid profile offline_access __vendor', false],
    ['', false],
  ])('%s: they need an audience: %p', (text, expected) => {
    expect(needsAudience(read(text))).toBe(expected);
  });
});

describe('the scopes that a client may have', () => {
  const requested = `openid email launch/patient patient/Goal.rs system/Goal.rs system/*.$export offline_access ${erase}`;

  it('are never those of the system when a user is asked', () => {
    expect(allowedForClient(read(requested), everyScope, any)).toEqual([
      'openid',
      'email',
      'launch/patient',
      'patient/Goal.rs',
      'offline_access',
    ]);
  });

  it('are limited by its settings', () => {
    const limited = { ...settings, allowedSmartSubjects: ['user' as const], allowedResourceTypes: ['Goal'] };
    expect(allowedForClient(read(`${requested} user/*.rs user/Goal.rs`), limited, any)).toEqual([
      'openid',
      'launch/patient',
      'user/Goal.rs',
    ]);
  });

  it('include the special scopes only with its permission', () => {
    const special = { ...settings, allowFirelySpecialScopes: true };
    expect(allowedForClient(read(erase), special, withErase)).toEqual([erase]);
    expect(allowedForClient(read(erase), special, any)).toEqual([]);
    expect(allowedForClient(read(erase), settings, withErase)).toEqual([]);
  });
});

describe('the scopes that a service may have', () => {
  it('are those of the system, each once', () => {
    const special = { ...settings, allowedResourceTypes: ['Goal'], allowFirelySpecialScopes: true };
    const scopes = read(`system/*.rs system/Goal.rs system/Flag.rs system/Goal.$run ${erase}`);
    const granted = ['system/Goal.rs', 'system/Goal.$run', erase];
    expect(allowedForService(scopes, special, withErase)).toEqual({ granted, forUsers: [] });
    expect(allowedForService([], settings, any)).toEqual({ granted: [], forUsers: [] });
  });

  it.each(['openid', 'user/Goal.rs', 'patient/Goal.$run', 'launch', 'offline_access'])(
    'are refused as a whole with %s, which needs a user',
    (scope) => {
      const refused = { granted: [], forUsers: [scope] };
      expect(allowedForService(read(`system/Goal.rs ${erase} ${scope}`), everyScope, withErase)).toEqual(refused);
      expect(allowedForService(read(scope), everyScope, any)).toEqual(refused);
    },
  );
});

describe('the scopes that a user can grant', () => {
  const scopes = [
    'openid',
    'fhirUser',
    'offline_access',
    'user/Goal.rs',
    'user/Goal.$run',
    'patient/Goal.rs',
    'patient/Goal.$run',
    'system/Goal.rs',
    '__vendor',
    'patient/Goal.sr',
  ];
  const granted = (context: Partial<Context>) =>
    allowedForContext(scopes, {
      fhirUser: undefined,
      patient: undefined,
      launched: false,
      resources: new Set(),
      ...context,
    });

  it('are none about a user or a patient without a known user', () => {
    const others = ['openid', 'offline_access', 'system/Goal.rs', '__vendor'];
    expect(granted({})).toEqual(others);
    expect(granted({ patient: 'p1' })).toEqual(others);
  });

  it('are none of a patient that open nothing of the own record', () => {
    const asked = [
      'user/Slot.rs',
      'user/Slot.$run',
      'user/Organization.cud',
      'user/Organization.rs',
      'user/*.rs',
      'user/Goal.cu',
    ];
    const inContext = (fhirUser: string, isEnforced: boolean) =>
      allowedForContext(asked, { fhirUser, patient: '1', launched: false, resources: new Set(), isEnforced });
    expect(inContext('Patient/1', true)).toEqual(['user/Organization.rs', 'user/*.rs', 'user/Goal.cu']);
    expect(inContext('Patient/1', false)).toEqual(asked);
    expect(inContext('Practitioner/1', true)).toEqual(asked);
  });

  it('are none about a patient without a patient', () => {
    const withUser = ['openid', 'fhirUser', 'offline_access', 'user/Goal.rs', 'user/Goal.$run'];
    expect(granted({ fhirUser: 'Practitioner/1' })).toEqual([...withUser, 'system/Goal.rs', '__vendor']);
  });

  it('are all with a meaning for a known user with a patient', () => {
    expect(granted({ fhirUser: 'Practitioner/1', patient: 'p1' })).toEqual(scopes.slice(0, -1));
  });
});
