/**
 * The change that a refusal names lets the same request pass: each field that a cause names is changed as the text
 * says, and the request is sent again.
 */
import { type CauseCode, catalogue } from '../../src/contract/activity/catalogue.js';
import type { Cause, Detail } from '../../src/contract/activity/cause.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey } from '../support/clients/assertions.js';
import { alterClient, backendService, confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { people } from '../support/users/people.js';

const key = await makeClientKey('ES384', 'own-key');
const otherKey = await makeClientKey('ES384', 'other-key');
const keySecret = { secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' };
const app = { ...publicApp, clientId: 'fixed-app', requireConsent: false };
const withSecret = { ...confidentialApp, clientId: 'fixed-secret-app' };
const signing = { ...confidentialApp, clientId: 'fixed-signing-app', clientSecrets: [keySecret] };
const service = { ...backendService, clientId: 'fixed-service' };
const keyService = { ...backendService, clientId: 'fixed-key-service', clientSecrets: [keySecret] };
const clients = [app, withSecret, signing, service, keyService];
const other = 'https://other.example/callback';
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };

let portal: AdminPortal;
beforeAll(async () => {
  portal = await startAdminPortal({
    config: {
      fhir: { specialScopes: ['__special'], tenants: [{ id: 'north', name: 'North', credentials: { type: 'none' } }] },
      users: [people.patient],
      clients,
      ehr: { callers: [ehr] },
    },
  });
});
afterAll(() => portal.close());

interface Fix {
  code: CauseCode;
  client: (typeof clients)[number];
  /** What the client has before, in its settings. */
  before?: object;
  send: () => Promise<Answer>;
  /** The settings after the change, by the values of the entry. */
  after: (detail: Detail) => object;
}

const ask = (client: { clientId: string }, parameters: Record<string, string | undefined>) =>
  new SmartApp(portal, { client, parameters }).authorize();
const post = (form: Record<string, string>, headers = {}) =>
  new Agent(portal.issuer).postForm('/connect/token', form, { headers });
const asService = (scope?: string) =>
  post(
    { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) },
    basicAuthorization(service.clientId, sharedSecret),
  );
const asKeyService = async (by: typeof key) =>
  post({
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: assertionType,
    client_assertion: await clientAssertion({
      clientId: keyService.clientId,
      audience: `${portal.issuer}/connect/token`,
      key: by,
    }),
  });
const list = (detail: Detail, name: string) => String(detail[name]).split(', ');
const native = { applicationType: 'native' };

const ofRequests: Fix[] = [
  {
    code: 'redirect-uri-unregistered',
    client: app,
    send: () => ask(app, { redirect_uri: other }),
    after: ({ sent }) => ({ redirectUris: [...app.redirectUris, sent] }),
  },
  {
    code: 'redirect-uri-query',
    client: app,
    send: () => ask(app, { redirect_uri: `${other}?site=1` }),
    // The values are not kept: the text says to add the address with its query.
    after: () => ({ redirectUris: [...app.redirectUris, `${other}?site=1`] }),
  },
  {
    code: 'redirect-uri-of-native-app',
    client: app,
    send: () => ask(app, { redirect_uri: 'com.example.heart:/callback' }),
    after: ({ sent }) => ({ ...native, redirectUris: [...app.redirectUris, sent] }),
  },
  {
    code: 'redirect-uri-loopback-port',
    client: app,
    send: () => ask(app, { redirect_uri: 'http://localhost:4999/callback' }),
    after: () => native,
  },
  {
    code: 'tenant-not-allowed',
    client: app,
    before: { allowedTenants: ['north'] },
    send: () => ask(app, {}),
    after: () => ({ allowedTenants: [] }),
  },
  {
    code: 'pkce-missing',
    client: withSecret,
    before: { requirePkce: true },
    send: () => ask(withSecret, { code_challenge: undefined, code_challenge_method: undefined }),
    after: () => ({ requirePkce: false }),
  },
  {
    code: 'par-required',
    client: app,
    before: { requirePar: true },
    send: () => ask(app, {}),
    after: () => ({ requirePar: false }),
  },
  {
    code: 'object-required',
    client: signing,
    before: { requireSignedRequestObject: true },
    send: () => ask(signing, {}),
    after: () => ({ requireSignedRequestObject: false }),
  },
];

const ofScopes: Fix[] = (
  [
    ['scope-subject', 'user/Patient.rs', { allowedSmartSubjects: ['patient'] }, 'allowedSmartSubjects', 'subject'],
    ['scope-actions', 'user/Patient.cud', { allowedSmartActions: ['r'] }, 'allowedSmartActions', 'actions'],
    [
      'scope-legacy-actions',
      'user/Patient.write',
      { allowedSmartLegacyActions: ['read'] },
      'allowedSmartLegacyActions',
      'actions',
    ],
    ['scope-type', 'user/Patient.rs', { allowedResourceTypes: ['Condition'] }, 'allowedResourceTypes', 'type'],
    ['scope-offline', 'offline_access', { allowOfflineAccess: false }, 'allowOfflineAccess'],
    ['scope-online', 'online_access', { allowOnlineAccess: false }, 'allowOnlineAccess'],
    ['scope-contact', 'email', { allowContactScopes: false }, 'allowContactScopes'],
    ['scope-special', '__special', { allowFirelySpecialScopes: false }, 'allowFirelySpecialScopes'],
  ] as const
).map(([code, scope, before, field, value]) => ({
  code,
  client: app,
  before,
  send: () => ask(app, { scope }),
  after: (detail) => ({
    [field]:
      value === undefined
        ? true
        : [...((before as unknown as Record<string, string[]>)[field] ?? []), ...list(detail, value)],
  }),
}));

const ofTokens: Fix[] = [
  {
    code: 'token-scopes-missing',
    client: service,
    send: () => asService(),
    after: () => ({ defaultScopes: ['system/*.rs'] }),
  },
  {
    code: 'dpop-missing',
    client: service,
    before: { requireDpop: true },
    send: () => asService('system/*.rs'),
    after: () => ({ requireDpop: false }),
  },
];

const reset = ({ clientId, ...own }: Fix['client']) =>
  alterClient(portal, clientId, {
    enabled: true,
    settings: {
      ...{ defaultScopes: [], requireDpop: false },
      // Those of a service follow from its type.
      ...('redirectUris' in own && {
        ...{ allowedTenants: [], requirePar: false, requireSignedRequestObject: false, applicationType: 'web' },
        ...{ allowedSmartSubjects: ['patient', 'user', 'system'], allowedSmartActions: [...'cruds'] },
        ...{ allowedSmartLegacyActions: ['read', 'write', '*'], allowedResourceTypes: [], allowedOperationScopes: [] },
        ...{ redirectUris: own.redirectUris, requirePkce: own.requirePkce },
      }),
    },
  });

async function save({ clientId }: { clientId: string }, changed: object): Promise<void> {
  const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [
    clientId,
  ]);
  const { body, status } = await portal.api.put(`/api/admin/client/${id}`).send(changed);
  expect([status, body.errors]).toEqual([200, undefined]);
}

function isPassed({ status, location }: Answer): boolean {
  return status === 200 || ((status === 302 || status === 303) && !/[?&]error=/.test(location ?? ''));
}

/** Tried below, by another way than settings. */
const triedHere: CauseCode[] = [
  'token-client-disabled',
  'client-disabled',
  'ehr-client-disabled',
  'token-secret-wrong',
  'assertion-key-unknown',
];
/** A later request is better for the change: this one presents what has ended, or a credential that was replaced. */
const later = new Map<string, string>([
  ['refresh-token-expired', 'the token has ended'],
  ['gateway-token-expired', 'the token has ended'],
  ['introspection-not-permitted', 'tried in other-endpoints.test.ts'],
  ['sign-out-address', 'tried in other-endpoints.test.ts'],
  ['sign-out-addresses-none', 'tried in other-endpoints.test.ts'],
  ['ended-with-client-disabled', 'the access has ended'],
  ['gateway-client-disabled', 'tried in mistakes-data.test.ts'],
  ['sign-in-method-closed', 'the person signs in again'],
  ['passkeys-off', 'tried in test/oidc/authorization/stronger-sign-in.test.ts'],
  ['object-unexpected', 'the request object has to be one of the client’s key'],
  ['token-origin', 'a page at an origin: tried in mistakes-libraries.test.ts'],
  ['redirect-uris-none', 'the form asks each app for a redirect URI'],
  ['scopes-missing', 'as token-scopes-missing'],
  ['scope-operation', 'tried in mistakes-scopes.test.ts: the FHIR server of these tests has no operation'],
  ['scope-unticked', 'the user decides again'],
  ['scope-unticked-narrowed', 'the user decides again'],
  ['scope-actions-narrowed', 'the request passes without the change'],
  ['scope-legacy-actions-narrowed', 'the request passes without the change'],
  ['scope-types-narrowed', 'the request passes without the change'],
  ...['token-authentication-method', 'token-credentials-ended', 'token-credential-removed', 'token-secret-expired'].map(
    ofCredentials,
  ),
  ...['key-not-published', 'key-expired', 'key-set-unreachable', 'key-unfit', 'key-twice', 'signature'].flatMap(
    (fault) => [`assertion-${fault}`, `object-${fault}`].map(ofCredentials),
  ),
  ofCredentials('object-key-unknown'),
]);

function ofCredentials(code: string): [string, string] {
  return [code, 'the app gets or publishes another secret or key, as for those that are tried'];
}

const fixes = [...ofRequests, ...ofScopes, ...ofTokens];

describe('The change that a refusal names', () => {
  it.each(fixes.map((fix) => [fix.code, fix] as const))('lets the same request pass: %s', async (code, fix) => {
    const { client, before = {}, send, after } = fix;
    await reset(client);
    await alterClient(portal, client.clientId, { settings: before });
    const refused = await send();
    const [entry] = entriesOf(await launchOf(portal, refused), code);
    const { field } = (catalogue[code] as Cause).change ?? {};
    expect([isPassed(refused), entry?.code, entry?.change?.field]).toEqual([false, code, field]);
    const changed = after(entry?.detail ?? {});
    expect(Object.keys(changed)).toContain(field);
    // By the form, which must take what the text says.
    await save(client, changed);
    const passed = await send();
    await reset(client);
    expect([passed.status, passed.location ?? '', isPassed(passed)]).toEqual([
      passed.status,
      expect.not.stringContaining('error='),
      true,
    ]);
  });

  it.each([
    ['token-client-disabled', () => asService('system/*.rs')],
    ['client-disabled', () => ask(service, {})],
  ] as const)('lets a disabled client pass: %s', async (code, send) => {
    await reset(service);
    await alterClient(portal, service.clientId, { enabled: false });
    const [entry] = entriesOf(await launchOf(portal, await send()), code);
    expect(entry?.change?.field).toBe('enabled');
    await reset(service);
    const [again] = entriesOf(await launchOf(portal, await send()), code);
    expect(again).toBeUndefined();
  });

  it('lets an EHR announce a launch of a client that was disabled: ehr-client-disabled', async () => {
    const announce = () =>
      new Agent(portal.issuer).postForm(
        '/connect/launchContext',
        { patient: '1', client_id: service.clientId },
        { headers: basicAuthorization(ehr.id, ehr.secret) },
      );
    await alterClient(portal, service.clientId, { enabled: false });
    const [entry] = entriesOf(await launchOf(portal, await announce()), 'ehr-client-disabled');
    expect(entry?.change?.field).toBe('enabled');
    await reset(service);
    expect((await announce()).status).toBe(200);
  });

  it.each([
    [
      'token-secret-wrong',
      () =>
        post(
          { grant_type: 'client_credentials', scope: 'system/*.rs' },
          basicAuthorization(service.clientId, 'another-secret-of-the-service'),
        ),
      service,
      { secretType: 'SharedSecret', secret: 'another-secret-of-the-service', description: 'second' },
    ],
    [
      'assertion-key-unknown',
      () => asKeyService(otherKey),
      keyService,
      { secretType: 'JWK', secret: JSON.stringify(otherKey.jwk), description: 'second' },
    ],
  ] as const)('lets a client pass whose secret or key is added: %s', async (code, send, client, secret) => {
    await reset(client);
    const [entry] = entriesOf(await launchOf(portal, await send()), code);
    expect(entry?.change?.field).toBe('clientSecrets');
    await save(client, { clientSecrets: [secret] });
    expect((await send()).status).toBe(200);
  });

  it('is tried for each cause that names a field, but for those of which a later request is better', () => {
    const named = Object.entries(catalogue as Record<string, Cause>).flatMap(([code, { change }]) =>
      change?.field === undefined || change.field.includes('{{') ? [] : [code],
    );
    const tried = new Set<string>([...fixes.map(({ code }) => code), ...triedHere, ...later.keys()]);
    expect(named.filter((code) => !tried.has(code))).toEqual([]);
  });
});
