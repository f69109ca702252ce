/** Mistakes of authorization requests, each made over HTTP: the launch's record names the cause, the values and the change. */
import { randomUUID } from 'node:crypto';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { Detail } from '../../src/contract/activity/cause.js';
import { launchOfAnswer } from '../support/apps/launch-entries.js';
import { basicAuthorization, type Launch, SmartApp } from '../support/apps/smart-app.js';
import { makeClientKey, nowSeconds } from '../support/clients/assertions.js';
import { backendService, confidentialApp, publicApp, redirectUri, sharedSecret } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const key = await makeClientKey('ES384', 'signing-key');
const foreignKey = await makeClientKey('ES384', 'signing-key');
const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const clients = {
  publicApp,
  confidentialApp,
  backendService,
  quiet: { ...publicApp, clientId: 'quiet-app', requireConsent: false },
  disabled: { ...publicApp, clientId: 'disabled-app', enabled: false },
  strict: { ...confidentialApp, clientId: 'strict-app', requirePkce: true },
  pushing: { ...publicApp, clientId: 'pushing-app', requirePar: true },
  signing: {
    ...confidentialApp,
    clientId: 'signing-app',
    requireSignedRequestObject: true,
    clientSecrets: [{ secretType: 'JWK', secret: JSON.stringify(key.jwk), description: 'key' }],
  },
  ofNorth: { ...publicApp, clientId: 'north-app', allowedTenants: ['north'] },
  narrow: {
    ...publicApp,
    clientId: 'narrow-app',
    allowedSmartActions: ['r', 's'],
    allowedSmartLegacyActions: ['read'],
    allowedSmartSubjects: ['patient'],
    allowedResourceTypes: ['Patient', 'Observation'],
    allowedOperationScopes: ['patient/Patient.$everything'],
    allowOfflineAccess: false,
    allowOnlineAccess: false,
    allowContactScopes: false,
    allowFirelySpecialScopes: false,
  },
};

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      fhir: {
        baseUrl: fhirServer.url,
        tenants: [{ id: 'north', name: 'North', baseUrl: fhirServer.url, credentials: { type: 'none' } }],
        specialScopes: ['__special'],
      },
      ehr: { callers: [ehr] },
      users: Object.values(people),
      clients: Object.values(clients),
    },
  });
  const admin = new SmartApp(portal);
  await admin.signIn(people.admin);
  await until(
    async () => (await admin.browser.get('/api/admin/client/available-resourcetypes')).json<unknown[]>().length > 0,
  );
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

type Client = keyof typeof clients;

const ask = (parameters: Launch['parameters'], client: Client = 'publicApp') =>
  new SmartApp(portal, { client: clients[client], parameters }).authorize();

const push = (parameters: Launch['parameters'], client: Client = 'publicApp', headers = {}) => {
  const query = new SmartApp(portal, { client: clients[client], parameters }).query();
  return new Agent(portal.issuer).postForm('/connect/par', Object.fromEntries(new URLSearchParams(query)), { headers });
};

/** Sends a request object of the signing app. */
async function askSigned(
  claims: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
  by = key,
): Promise<Answer> {
  const app = new SmartApp(portal, { client: clients.signing });
  const { aud: _, ...parameters } = Object.fromEntries(new URLSearchParams(app.query()));
  const now = nowSeconds();
  const own = { iss: clients.signing.clientId, aud: portal.issuer, nbf: now, exp: now + 60, jti: randomUUID() };
  const request = await new SignJWT({ ...parameters, ...own, resource: portal.fhirBase, ...claims })
    .setProtectedHeader({ alg: 'ES384', kid: 'signing-key', typ: 'oauth-authz-req+jwt', ...header })
    .sign(by.privateKey);
  return ask({ request }, 'signing');
}

/** A launch of the EHR, and the app's request for it. */
async function launched(
  announced: Record<string, string>,
  parameters: Launch['parameters'] = {},
  client: Client = 'publicApp',
) {
  const value = await announce(announced);
  return ask({ scope: 'launch openid fhirUser patient/*.rs', launch: value, ...parameters }, client);
}

async function announce(form: Record<string, string>): Promise<string> {
  const headers = basicAuthorization(ehr.id, ehr.secret);
  const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', form, { headers });
  return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
}

const age = (record: string, seconds: number) =>
  portal.query(`UPDATE oidc_record SET expires_at = now() - make_interval(secs => $2) WHERE model = $1`, [
    record,
    seconds,
  ]);

interface Mistake {
  name: string;
  make: () => Promise<Answer>;
  code: string;
  /** The values that differ. */
  detail?: () => Detail;
  /** Field or configuration key of the change; undefined if only the app can change something. */
  fix?: string;
}

const base = () => portal.fhirBase;

const refused: Mistake[] = [
  { name: 'no client_id', make: () => ask({ client_id: undefined }), code: 'client-missing' },
  {
    name: 'a client id that resembles a registered one',
    make: () => ask({ client_id: 'public-ap' }),
    code: 'client-misspelled',
    detail: () => ({ clientId: 'public-ap', nearest: 'public-app' }),
  },
  {
    name: 'a client id in other letters',
    make: () => ask({ client_id: 'Public-App' }),
    code: 'client-misspelled',
    detail: () => ({ clientId: 'Public-App', nearest: 'public-app' }),
  },
  {
    name: 'a client id that resembles none',
    make: () => ask({ client_id: 'something-else-entirely' }),
    code: 'client-unknown',
    detail: () => ({ clientId: 'something-else-entirely' }),
  },
  {
    name: 'a disabled client',
    make: () => ask({}, 'disabled'),
    code: 'client-disabled',
    detail: () => ({ clientId: 'disabled-app' }),
    fix: 'enabled',
  },
  {
    name: 'a back-end service',
    make: () => ask({}, 'backendService'),
    code: 'redirect-uris-none',
    fix: 'redirectUris',
  },
  {
    name: 'no redirect_uri',
    make: () => ask({ redirect_uri: undefined }),
    code: 'redirect-uri-missing',
    detail: () => ({ registered: redirectUri }),
  },
  ...Object.entries({
    [`${redirectUri}/`]: 'the slash at the end of the path',
    [redirectUri.replace('http:', 'https:')]: 'the scheme (https for http)',
    [redirectUri.replace('4567', '4568')]: 'the port (4568 for 4567)',
    [redirectUri.replace('localhost', '127.0.0.1')]: 'the host (127.0.0.1 for localhost)',
    [redirectUri.replace('callback', 'Callback')]: 'upper and lower case of the path',
    [redirectUri.replace('callback', 'cb')]: 'the path',
  }).map(([sent, difference]) => ({
    name: `a redirect URI that differs in ${difference}`,
    make: () => ask({ redirect_uri: sent }),
    code: 'redirect-uri-unregistered',
    detail: () => ({ sent, nearest: redirectUri, difference }),
    fix: 'redirectUris',
  })),
  {
    name: 'a redirect URI with a query, whose values are not kept',
    make: () => ask({ redirect_uri: `${redirectUri}?tenant=planted-value` }),
    code: 'redirect-uri-unregistered',
    detail: () => ({ sent: `${redirectUri}?tenant=…`, nearest: redirectUri, difference: 'the query' }),
    fix: 'redirectUris',
  },
  {
    name: 'a pushed redirect URI that is not registered',
    make: () => push({ redirect_uri: 'https://app.example/cb' }),
    code: 'redirect-uri-unregistered',
    detail: () => ({ sent: 'https://app.example/cb' }),
    fix: 'redirectUris',
  },
  {
    name: 'no aud',
    make: () => ask({ aud: undefined }),
    code: 'aud-missing',
    detail: () => ({ parameter: 'aud', base: base() }),
  },
  {
    name: 'an aud with two slashes at its end',
    make: () => ask({ aud: `${base()}//` }),
    code: 'aud-trailing-slash',
    detail: () => ({ sent: `${base()}//`, base: base() }),
  },
  {
    name: 'an aud with https',
    make: () => ask({ aud: base().replace('http:', 'https:') }),
    code: 'aud-scheme',
    detail: () => ({ sent: base().replace('http:', 'https:'), base: base() }),
    fix: 'server.issuer',
  },
  {
    name: 'an aud of a tenant that is not configured',
    make: () => ask({ aud: `${base()}/south` }),
    code: 'aud-other-tenant',
    detail: () => ({ sent: `${base()}/south`, base: `${base()}/north` }),
    fix: 'fhir.tenants',
  },
  {
    name: 'an aud of another server',
    make: () => ask({ aud: 'https://elsewhere.example/r4' }),
    code: 'aud-other-base',
    detail: () => ({ sent: 'https://elsewhere.example/r4', base: base() }),
    fix: 'fhir.baseUrl',
  },
  { name: 'aud twice', make: () => askTwice('aud'), code: 'parameter-repeated', detail: () => ({ parameters: 'aud' }) },
  {
    name: 'scope twice',
    make: () => askTwice('scope'),
    code: 'parameter-repeated',
    detail: () => ({ parameters: 'scope' }),
  },
  {
    name: 'an aud of a tenant that the client may not have',
    make: () => ask({}, 'ofNorth'),
    code: 'tenant-not-allowed',
    detail: () => ({ base: base() }),
    fix: 'allowedTenants',
  },
  {
    name: 'another resource',
    make: () => ask({ resource: 'https://elsewhere.example/r4' }),
    code: 'resource-unknown',
    detail: () => ({ sent: 'https://elsewhere.example/r4', base: base() }),
  },
  {
    name: 'no PKCE of a public client',
    make: () => ask({ code_challenge: undefined, code_challenge_method: undefined }),
    code: 'pkce-public',
    fix: 'requireClientSecret',
  },
  {
    name: 'no PKCE of a confidential client that must use it',
    make: () => ask({ code_challenge: undefined, code_challenge_method: undefined }, 'strict'),
    code: 'pkce-missing',
    fix: 'requirePkce',
  },
  {
    name: 'PKCE with plain',
    make: () => ask({ code_challenge_method: 'plain' }),
    code: 'pkce-plain',
    detail: () => ({ sent: 'plain' }),
  },
  {
    name: 'PKCE with another method',
    make: () => ask({ code_challenge_method: 'SHA256' }),
    code: 'pkce-method',
    detail: () => ({ sent: 'SHA256' }),
  },
  { name: 'PKCE without a method', make: () => ask({ code_challenge_method: undefined }), code: 'pkce-method-missing' },
  { name: 'PKCE without a challenge', make: () => ask({ code_challenge: undefined }), code: 'pkce-challenge-missing' },
  {
    name: 'a short challenge',
    make: () => ask({ code_challenge: 'short' }),
    code: 'pkce-challenge-length',
    detail: () => ({ length: 5 }),
  },
  {
    name: 'a challenge with padding',
    make: () => ask({ code_challenge: `${'a'.repeat(43)}=` }),
    code: 'pkce-challenge-characters',
  },
  { name: 'no response_type', make: () => ask({ response_type: undefined }), code: 'response-type-missing' },
  {
    name: 'the implicit flow',
    make: () => ask({ response_type: 'token' }),
    code: 'response-type',
    detail: () => ({ sent: 'token' }),
  },
  {
    name: 'the response mode fragment',
    make: () => ask({ response_mode: 'fragment' }),
    code: 'response-mode',
    detail: () => ({ sent: 'fragment' }),
  },
  { name: 'an unknown launch', make: () => ask({ launch: 'unknown' }), code: 'launch-unknown' },
  {
    name: 'an expired launch',
    make: async () => {
      const launch = await announce({ patient: '1' });
      await age('EhrLaunch', 30);
      return ask({ scope: 'launch openid', launch });
    },
    code: 'launch-expired',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a used launch',
    make: async () => {
      const launch = await announce({ patient: '1' });
      const parameters = { scope: 'launch openid fhirUser patient/*.rs', launch };
      await new SmartApp(portal, { client: clients.quiet, parameters }).complete(people.practitioner);
      return ask(parameters, 'quiet');
    },
    code: 'launch-used',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a launch for another client',
    make: () => launched({ patient: '1', client_id: 'quiet-app' }),
    code: 'launch-foreign',
    detail: () => ({ registered: 'quiet-app', sent: 'public-app' }),
  },
  {
    name: 'a launch for the base of another tenant',
    make: () => launched({ patient: '1' }, { aud: `${portal.fhirBase}/north` }),
    code: 'launch-other-tenant',
    detail: () => ({ sent: `${base()}/north` }),
  },
  {
    name: 'a request that was not pushed',
    make: () => ask({}, 'pushing'),
    code: 'par-required',
    detail: () => ({ endpoint: `${portal.issuer}/connect/par` }),
    fix: 'requirePar',
  },
  {
    name: 'an unknown request_uri',
    make: () => ask({ request_uri: 'urn:ietf:params:oauth:request_uri:unknown' }),
    code: 'par-unknown',
  },
  {
    name: 'an expired request_uri',
    make: async () => {
      const { request_uri } = (await push({}, 'pushing')).json<{ request_uri: string }>();
      await age('PushedAuthorizationRequest', 5);
      return ask({ request_uri }, 'pushing');
    },
    code: 'par-unknown',
  },
  {
    name: 'a request_uri of another server',
    make: () => ask({ request_uri: 'https://app.example/request.jwt' }),
    code: 'request-uri-foreign',
  },
  {
    name: 'an unsigned request of a client that must sign',
    make: () => ask({}, 'signing'),
    code: 'object-required',
    fix: 'requireSignedRequestObject',
  },
  {
    name: 'a signed request of a client that does not',
    make: () => ask({ request: 'a.b.c' }),
    code: 'object-unexpected',
    fix: 'requireSignedRequestObject',
  },
  { name: 'an unreadable request object', make: () => ask({ request: 'a.b.c' }, 'signing'), code: 'object-unreadable' },
  {
    name: 'a request object with the type JWT',
    make: () => askSigned({}, { typ: 'JWT' }),
    code: 'object-type',
    detail: () => ({ sent: 'JWT' }),
  },
  {
    name: 'a request object of another key',
    make: () => askSigned({}, {}, foreignKey),
    code: 'object-signature',
    detail: () => ({ kid: 'signing-key', algorithm: 'ES384' }),
    fix: 'clientSecrets',
  },
  {
    name: 'a request object for another server',
    make: () => askSigned({ aud: 'https://elsewhere.example' }),
    code: 'object-audience',
    detail: () => ({ issuer: portal.issuer }),
  },
  { name: 'a request object of another client', make: () => askSigned({ iss: 'public-app' }), code: 'object-client' },
  {
    name: 'an expired request object',
    make: () => askSigned({ nbf: nowSeconds() - 900, exp: nowSeconds() - 600 }),
    code: 'object-expired',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  {
    name: 'a request object from the future',
    make: () => askSigned({ nbf: nowSeconds() + 600, exp: nowSeconds() + 900 }),
    code: 'object-early',
    detail: () => ({ seconds: expect.any(Number) as never }),
  },
  { name: 'a request object that never expires', make: () => askSigned({ exp: undefined }), code: 'object-lifetime' },
  { name: 'a request object with a sub', make: () => askSigned({ sub: 'signing-app' }), code: 'object-content' },
  {
    name: 'a nonce without openid',
    make: () => ask({ scope: 'patient/*.rs', nonce: 'n' }),
    code: 'openid-missing',
    detail: () => ({ parameter: 'nonce' }),
  },
  {
    name: 'an unknown prompt',
    make: () => ask({ prompt: 'select' }),
    code: 'parameter-invalid',
    detail: () => ({ parameter: 'prompt' }),
  },
  {
    name: 'prompt=none without a session',
    make: () => ask({ prompt: 'none' }),
    code: 'silent-impossible',
    detail: () => ({ error: 'login_required' }),
  },
  {
    name: 'registration',
    make: () => ask({ registration: '{}' }),
    code: 'parameter-unsupported',
    detail: () => ({ parameter: 'registration' }),
  },
  { name: 'no scope', make: () => ask({ scope: undefined }), code: 'scopes-missing' },
  { name: 'two spaces between scopes', make: () => ask({ scope: 'openid  fhirUser' }), code: 'scopes-malformed' },
  {
    name: 'more scopes than a request may have',
    make: () =>
      push({
        scope: Array.from(
          { length: 501 },
          (_, index) => `patient/T${'a'.repeat((index % 60) + 1)}.${index < 60 ? 'r' : 's'}?category=${index}`,
        ).join(' '),
      }),
    code: 'scopes-too-many',
    detail: () => ({ maximum: 500 }),
  },
  {
    name: 'scopes that are all dropped',
    make: () => ask({ scope: 'user/Observation.rs offline_access' }, 'narrow'),
    code: 'scopes-none-left',
    detail: () => ({ asked: 2 }),
    fix: 'allowedSmartSubjects',
  },
  {
    name: 'a body with NUL',
    make: () => new Agent(portal.issuer).postForm('/connect/par', { client_id: 'public-app', state: '\0' }),
    code: 'request-unreadable',
  },
  {
    name: 'a body that is too large',
    make: () =>
      new Agent(portal.issuer).postForm('/connect/par', { client_id: 'public-app', state: 'x'.repeat(60_000) }),
    code: 'request-too-large',
    detail: () => ({ kilobytes: 56 }),
  },
  {
    name: 'an address that is too long',
    make: () => new SmartApp(portal, { parameters: { state: 'planted-value'.repeat(1300) } }).authorize(),
    code: 'request-too-large',
    detail: () => ({ kilobytes: 16 }),
  },
  {
    name: 'an address that is not UTF-8',
    make: () => new Agent(portal.issuer).get(`/connect/authorize?${new SmartApp(portal).query()}&login_hint=%C3%28`),
    code: 'request-unreadable',
  },
  {
    name: 'another host',
    make: () => {
      const headers = { host: 'elsewhere.test' };
      return new Agent(portal.issuer).get(new SmartApp(portal).authorizationPath, { headers });
    },
    code: 'request-other-host',
    detail: () => ({ sent: 'elsewhere.test', expected: new URL(portal.issuer).host }),
    fix: 'server.issuer',
  },
  {
    name: 'too many starts',
    make: async () => {
      const headers = { 'x-forwarded-for': '198.51.100.9' };
      const path = new SmartApp(portal).authorizationPath;
      const { startsPerMinute } = portal.config.limits;
      let answer = await new Agent(portal.issuer).get(path, { headers });
      for (let sent = 0; sent <= startsPerMinute * 2 && answer.status !== 429; sent += 1) {
        answer = await new Agent(portal.issuer).get(path, { headers });
      }
      return answer;
    },
    code: 'starts-exhausted',
    detail: () => ({ maximum: portal.config.limits.startsPerMinute }),
    fix: 'limits.startsPerMinute',
  },
];

function askTwice(name: string): Promise<Answer> {
  return new Agent(portal.issuer).get(`/connect/authorize?${new SmartApp(portal).query()}&${name}=openid`);
}

describe('A refused authorization request', () => {
  it.each(refused)('is explained: $name ($code)', async ({ make, code, detail, fix }) => {
    const answer = await make();
    const { outcome, decidedBy } = await launchOfAnswer(portal, answer);
    expect([answer.status >= 300, outcome, decidedBy?.code]).toEqual([true, 'refused', code]);
    if (detail) expect(decidedBy?.detail).toMatchObject(detail());
    const { change, decidedBy: reason, developer } = decidedBy?.texts ?? {};
    expect([change?.field ?? change?.configuration, typeof change?.text]).toEqual([fix, 'string']);
    expect([reason, developer]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
    expect(JSON.stringify(decidedBy)).not.toMatch(/\{\{|planted-value|undefined/);
  });
});

interface ScopeMistake {
  scope: string;
  code: string;
  client?: Client;
  /** The entry's name for the scope, where it differs. */
  shown?: string;
  detail?: Detail;
  fix?: string;
}

const scopes: ScopeMistake[] = [
  { scope: 'patient/Observation.Read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'launch/Patient', code: 'scope-misspelled', detail: { meant: 'launch/patient' } },
  { scope: 'system/Patient.search', code: 'scope-misspelled', detail: { meant: 'system/Patient.s' } },
  { scope: 'patient/Observation.sr', code: 'scope-misspelled', detail: { meant: 'patient/Observation.rs' } },
  { scope: 'Patient/observation.read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'patient/Observation.1', code: 'scope-unreadable' },
  { scope: 'patient/Observation', code: 'scope-misspelled', detail: { meant: 'patient/Observation.rs' } },
  { scope: 'patient.Observation.read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'Offline_Access', code: 'scope-misspelled', detail: { meant: 'offline_access' } },
  { scope: 'fhiruser', code: 'scope-misspelled', detail: { meant: 'fhirUser' } },
  {
    scope: 'patient/Observation.read?category=laboratory',
    shown: 'patient/Observation.read?category=…',
    code: 'scope-misspelled',
    detail: { meant: 'patient/Observation.rs?category=…' },
  },
  { scope: 'nonsense', code: 'scope-unreadable' },
  { scope: 'system/Observation.rs', code: 'scope-needs-service' },
  {
    scope: 'user/Observation.rs',
    client: 'narrow',
    code: 'scope-subject',
    detail: { subject: 'user' },
    fix: 'allowedSmartSubjects',
  },
  {
    scope: 'patient/Observation.cud',
    client: 'narrow',
    code: 'scope-actions',
    detail: { actions: 'c, u, d' },
    fix: 'allowedSmartActions',
  },
  {
    scope: 'patient/Observation.cruds',
    client: 'narrow',
    code: 'scope-actions-narrowed',
    detail: { granted: 'patient/Observation.rs', actions: 'c, u, d' },
    fix: 'allowedSmartActions',
  },
  {
    scope: 'patient/Observation.write',
    client: 'narrow',
    code: 'scope-legacy-actions',
    detail: { actions: 'write' },
    fix: 'allowedSmartLegacyActions',
  },
  {
    scope: 'patient/Observation.*',
    client: 'narrow',
    code: 'scope-legacy-actions-narrowed',
    detail: { granted: 'patient/Observation.read', actions: 'write' },
    fix: 'allowedSmartLegacyActions',
  },
  {
    scope: 'patient/Condition.rs',
    client: 'narrow',
    code: 'scope-type',
    detail: { type: 'Condition' },
    fix: 'allowedResourceTypes',
  },
  {
    scope: 'patient/*.rs',
    client: 'narrow',
    code: 'scope-types-narrowed',
    detail: { granted: 'patient/Patient.rs patient/Observation.rs', count: 2 },
    fix: 'allowedResourceTypes',
  },
  { scope: 'patient/Patient.$match', client: 'narrow', code: 'scope-operation', fix: 'allowedOperationScopes' },
  { scope: 'offline_access', client: 'narrow', code: 'scope-offline', fix: 'allowOfflineAccess' },
  { scope: 'online_access', client: 'narrow', code: 'scope-online', fix: 'allowOnlineAccess' },
  { scope: 'email', client: 'narrow', code: 'scope-contact', fix: 'allowContactScopes' },
  { scope: '__special', client: 'narrow', code: 'scope-special', fix: 'allowFirelySpecialScopes' },
  { scope: '__other', client: 'narrow', code: 'scope-special-unknown', fix: 'fhir.specialScopes' },
  { scope: 'patient/Goal.rs', code: 'scope-type-unknown', detail: { type: 'Goal' }, fix: 'fhir.baseUrl' },
  {
    scope: 'patient/Patient.rs?family=Planted',
    shown: 'patient/Patient.rs?family=…',
    code: 'scope-search-parameter',
    detail: { parameter: 'family' },
  },
];

describe('A requested scope', () => {
  it.each(scopes)('is explained: $scope ($code)', async ({ scope, code, client, shown = scope, detail, fix }) => {
    const answer = await ask({ scope: `openid ${scope}` }, client);
    const { entries } = await launchOfAnswer(portal, answer);
    const entry = entries.find((one) => one.detail.scope === shown && one.code === code);
    expect(entries.map((one) => one.code)).toContain(code);
    expect(entry?.detail).toMatchObject({ scope: shown, ...detail });
    const { change } = entry?.texts ?? {};
    expect([change?.field ?? change?.configuration, typeof change?.text]).toEqual([fix, 'string']);
    expect(entries.map((one) => [one.code, one.detail.scope])).toContainEqual(['scope-kept', 'openid']);
    expect(JSON.stringify(entries)).not.toMatch(/\{\{|Planted|laboratory/);
  });

  it('is explained when it needs openid (scope-fhir-user-alone), and when another scope covers it', async () => {
    const answer = await ask({ scope: 'fhirUser patient/*.rs patient/Patient.r' });
    const { entries } = await launchOfAnswer(portal, answer);
    const by = Object.fromEntries(entries.map(({ code, detail }) => [String(detail.scope), [code, detail.by]]));
    expect(by.fhirUser?.[0]).toBe('scope-fhir-user-alone');
    expect(by['patient/Patient.r']).toEqual(['scope-covered', 'patient/*.rs']);
  });

  it('is noted as kept without further entries when all are kept', async () => {
    const { entries } = await launchOfAnswer(portal, await ask({ scope: 'openid fhirUser patient/Patient.rs' }));
    const ofScopes = entries.filter(({ code }) => code.startsWith('scope'));
    expect(ofScopes.map(({ code, detail }) => [code, detail])).toEqual([['scopes-kept', { asked: 3, kept: 3 }]]);
  });

  it('is named when it is dropped because no EHR launched the app', async () => {
    const app = new SmartApp(portal, {
      client: clients.quiet,
      scope: 'openid launch user/Patient.rs',
    });
    await app.complete(people.practitioner);
    const { headers } = await app.authorize();
    const { entries } = await launchOfAnswer(portal, { headers });
    const named = entries.map(({ code, detail }) => [code, detail.scope]);
    expect(named).toContainEqual(['scope-not-launched', 'launch']);
    expect(named).toContainEqual(['launch-scope-alone', undefined]);
  });

  it('is named when the person leaves it out, with the field that makes it required', async () => {
    const app = new SmartApp(portal, { scope: 'openid fhirUser launch/patient patient/Patient.rs' });
    const landed = await app.complete(people.patient, ['openid', 'fhirUser', 'launch/patient']);
    const answer = await app.exchange(landed.searchParams.get('code') ?? '');
    const { outcome, entries } = await launchOfAnswer(portal, answer);
    const entry = entries.find(({ code }) => code === 'scope-unticked');
    expect([outcome, entry?.detail, entry?.texts.change?.field]).toEqual([
      'completed',
      { scope: 'patient/Patient.rs' },
      'requiredScopes',
    ]);
  });

  it('of 10,000 characters is cut, and control characters are shown harmlessly', async () => {
    const { entries } = await launchOfAnswer(portal, await push({ scope: `openid ${'x'.repeat(10_000)}` }));
    const entry = entries.find(({ code }) => code === 'scope-too-long');
    expect(String(entry?.detail.scope).length).toBeLessThan(400);
  });

  it('is explained for a service, too', async () => {
    const send = (scope: string) =>
      new Agent(portal.issuer).postForm(
        '/connect/token',
        { grant_type: 'client_credentials', scope },
        { headers: basicAuthorization(backendService.clientId, sharedSecret) },
      );
    const dropped = await launchOfAnswer(portal, await send('system/Patient.rs __other'));
    expect(dropped.entries.map(({ code }) => code)).toContain('scope-special-unknown');
    const personal = await launchOfAnswer(portal, await send('system/Patient.rs user/Patient.rs'));
    expect(personal.decidedBy).toMatchObject({ code: 'scopes-need-person', detail: { scopes: 'user/Patient.rs' } });
  });
});

describe('An EHR launch without the scope launch', () => {
  it('goes on, and its record says what is withheld', async () => {
    const { entries } = await launchOfAnswer(
      portal,
      await launched({ patient: '1' }, { scope: 'openid patient/*.rs' }),
    );
    expect(entries.map(({ code }) => code)).toContain('launch-without-scope');
  });
});

describe('The usual libraries', () => {
  const discover = () =>
    openid.discovery(new URL(portal.issuer), 'public-app', undefined, undefined, {
      execute: [openid.allowInsecureRequests],
    });

  it('openid-client: a request without aud is explained', async () => {
    const config = await discover();
    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid patient/*.rs',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const answer = await new Agent(portal.issuer).get(address.href);
    expect((await launchOfAnswer(portal, answer)).decidedBy?.code).toBe('aud-missing');
  });

  it('openid-client: a pushed request without PKCE is explained by its reference', async () => {
    const config = await discover();
    const pushed = openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      aud: base(),
    });
    const error = await pushed.then(
      () => undefined,
      (caught: unknown) => caught as openid.ResponseBodyError,
    );
    const reference = /Reference: (\S+)$/.exec(error?.error_description ?? '')?.[1];
    const { decidedBy } = await launchOfAnswer(portal, { headers: { 'x-launch-reference': reference ?? '' } });
    expect(decidedBy?.code).toBe('pkce-public');
  });

  it('oauth4webapi: a pushed request with another redirect URI is explained by its reference', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(portal.issuer);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client = { client_id: 'public-app' };
    const parameters = new SmartApp(portal, { parameters: { redirect_uri: `${redirectUri}2` } }).query();
    const response = await oauth.pushedAuthorizationRequest(
      server,
      client,
      oauth.None(),
      new URLSearchParams(parameters),
      insecure,
    );
    const { error_description = '' } = (await response.json()) as { error_description?: string };
    const reference = /Reference: (\S+)$/.exec(error_description)?.[1] ?? '';
    const { decidedBy } = await launchOfAnswer(portal, { headers: { 'x-launch-reference': reference } });
    expect(decidedBy).toMatchObject({ code: 'redirect-uri-unregistered', detail: { difference: 'the path' } });
  });
});
