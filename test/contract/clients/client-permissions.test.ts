import { assert, constantFrom, property, shuffledSubarray } from 'fast-check';
import { clientTypes, grantTypes } from '../../../src/contract/rules/client-values.js';
import { defaultClientForm } from '../../../src/contract/rules/clients/client-fields.js';
import { actsOf, subjectsOf, widestScopesOf } from '../../../src/contract/rules/clients/client-permissions.js';
import { acts } from '../../../src/contract/rules/scopes/access-summary.js';
import { allowedForClient, allowedForService, parseRequest } from '../../../src/oidc/domain/scope-request.js';
import { scopeSettings, unread } from '../../support/clients/scope-policies.js';
import { runs } from '../../support/runs.js';

const none = { allowedSmartActions: [], allowedSmartLegacyActions: [] };
const app = (settings: object = {}) => ({ ...defaultClientForm(), ...settings });
const service = (settings: object = {}) =>
  app({ clientType: 'BackendService', allowedGrantTypes: ['client_credentials'], ...settings });

describe('the acts that a client can get permission for', () => {
  it.each<[client: string, form: ReturnType<typeof app>, permitted: string]>([
    ['a new app', app(), 'see add change delete'],
    ['an app that reads', app({ ...none, allowedSmartActions: ['r'] }), 'see'],
    ['an app that searches', app({ ...none, allowedSmartActions: ['s'] }), 'see'],
    ['an app that creates', app({ ...none, allowedSmartActions: ['c'] }), 'add'],
    ['an app that updates', app({ ...none, allowedSmartActions: ['u'] }), 'change'],
    ['an app that deletes', app({ ...none, allowedSmartActions: ['d'] }), 'delete'],
    ['an app with read of version 1', app({ ...none, allowedSmartLegacyActions: ['read'] }), 'see'],
    ['an app with write of version 1', app({ ...none, allowedSmartLegacyActions: ['write'] }), 'add change delete'],
    ['an app with * of version 1', app({ ...none, allowedSmartLegacyActions: ['*'] }), 'see add change delete'],
    [
      'an app that reads by version 2 and writes by version 1',
      app({ allowedSmartActions: ['r', 's'], allowedSmartLegacyActions: ['write'] }),
      'see add change delete',
    ],
    ['an app whose scopes are those of services', app({ allowedSmartSubjects: ['system'] }), ''],
    ['a service whose scopes are those of users', service({ allowedSmartSubjects: ['patient', 'user'] }), ''],
    ['a service that reads', service({ ...none, allowedSmartActions: ['r'] }), 'see'],
    ['a service that manages the portal', service({ clientType: 'ManagementApi' }), ''],
  ])('%s', (_, form, permitted) => {
    expect(actsOf(form).join(' ')).toBe(permitted);
  });
});

describe('the subjects that a client can get scopes for', () => {
  it.each<[client: string, form: ReturnType<typeof app>, subjects: string]>([
    ['a new app', app(), 'patient user'],
    ['an app for one patient', app({ allowedSmartSubjects: ['patient', 'system'] }), 'patient'],
    ['a service', service(), 'system'],
    ['a client with both grants', app({ allowedGrantTypes: [...grantTypes] }), 'patient user system'],
    ['a service that manages the portal', service({ clientType: 'ManagementApi' }), ''],
  ])('%s', (_, form, subjects) => {
    expect(subjectsOf(form).join(' ')).toBe(subjects);
  });
});

describe('the widest scopes of a client', () => {
  it.each<[client: string, form: ReturnType<typeof app>, scopes: string]>([
    ['a new app', app(), 'patient/*.cruds user/*.cruds'],
    [
      'an app for two types with lasting access',
      app({
        allowedSmartSubjects: ['user'],
        allowedSmartActions: ['s', 'r'],
        allowedSmartLegacyActions: ['read'],
        allowedResourceTypes: ['Patient', 'Goal'],
        allowOfflineAccess: true,
        allowOnlineAccess: true,
      }),
      'user/Patient.rs user/Goal.rs offline_access online_access',
    ],
    [
      'an app that writes by version 1 alone',
      app({ allowedSmartSubjects: ['user'], allowedSmartActions: ['r'], allowedSmartLegacyActions: ['write'] }),
      'user/*.r user/*.write',
    ],
    [
      'an app with read and write of version 1',
      app({ allowedSmartSubjects: ['user'], allowedSmartActions: [], allowedSmartLegacyActions: ['write', 'read'] }),
      'user/*.*',
    ],
    [
      'an app with read of version 1',
      app({ allowedSmartSubjects: ['user'], allowedSmartActions: [], allowedSmartLegacyActions: ['read'] }),
      'user/*.read',
    ],
    ['a service, which has no lasting access', service({ allowOfflineAccess: true }), 'system/*.cruds'],
    ['a service that manages the portal', service({ clientType: 'ManagementApi' }), ''],
  ])('%s', (_, form, scopes) => {
    expect(widestScopesOf(form).join(' ')).toBe(scopes);
  });
});

it('Acts, subjects and scopes are those that a request for everything gets, whatever the settings permit', () => {
  const everything = ['patient', 'user', 'system'].flatMap((subject) =>
    [...'cruds', 'read', 'write', '*'].map((access) => `${subject}/*.${access}`),
  );
  const permits = {
    see: ['r', 's', 'read', '*'],
    add: ['c', 'write', '*'],
    change: ['u', 'write', '*'],
    delete: ['d', 'write', '*'],
  };
  assert(
    property(
      scopeSettings,
      shuffledSubarray([...grantTypes]),
      constantFrom(...clientTypes.filter((type) => type !== 'ManagementApi')),
      (limits, allowedGrantTypes, clientType) => {
        const form = { ...app(limits), allowedOperationScopes: [], allowedGrantTypes, clientType };
        const grantedOf = (texts: string[]) => {
          const ofService = parseRequest(texts.filter((text) => text.startsWith('system/')).join(' ')) ?? [];
          const ofUsers = parseRequest(texts.filter((text) => !text.startsWith('system/')).join(' ')) ?? [];
          return [
            ...(allowedGrantTypes.includes('authorization_code') ? allowedForClient(ofUsers, form, unread) : []),
            ...(allowedGrantTypes.includes('client_credentials')
              ? allowedForService(ofService, form, unread).granted
              : []),
          ];
        };
        const granted = grantedOf(everything);
        const accesses = granted.map((scope) => scope.slice(scope.indexOf('.') + 1));
        expect(actsOf(form)).toEqual(acts.filter((act) => accesses.some((access) => permits[act].includes(access))));
        const subjects = new Set(granted.map((scope) => scope.split('/', 1)[0]));
        expect(new Set(accesses.length === 0 ? [] : subjectsOf(form))).toEqual(subjects);
        const widest = widestScopesOf(form);
        expect(new Set(grantedOf(widest))).toEqual(new Set(widest));
      },
    ),
    runs(500, 20_000),
  );
});
