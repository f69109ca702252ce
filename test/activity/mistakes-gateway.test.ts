/**
 * Refusals of the gateway, in the launch of the token: reason, count, last request, and the scope that would have
 * opened it.
 */

import { generateKeyPair, SignJWT } from 'jose';
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { makeProofKey, proofBy } from '../support/apps/fapi-app.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { publicApp } from '../support/clients/clients.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { entriesOf, launchOf } from '../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { appsOfKind, asBearer } from '../support/portal/token-portal.js';
import { inTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

const app = { ...publicApp, clientId: 'reading-app', requireConsent: false, accessTokenType: 'Reference' };
const scope = 'openid launch/patient patient/Patient.rs patient/Coverage.rs patient/Procedure.r';

let portal: TestPortal;
let server: Upstream;

const secrets = SentSecrets.collect();

beforeAll(async () => {
  server = await startUpstream(({ url }, response) => {
    response.setHeader('Content-Type', 'application/fhir+json');
    if (url?.endsWith('/Patient/1')) response.end('{"resourceType":"Patient","id":"1"}');
    else response.writeHead(404).end('{"resourceType":"OperationOutcome","issue":[]}');
  });
  portal = await startPortal({
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      fhir: {
        baseUrl: server.url,
        tenants: [{ id: 'north', name: 'North', baseUrl: server.url, credentials: { type: 'none' } }],
      },
      gateway: { stepUp: [{ actions: 'r', types: ['Coverage'], acr: 'aal2', maxAge: 600 }] },
      users: [people.patient],
      clients: [app, ...clientKinds.flatMap(appsOfKind), ...confidentialKinds.map((kind) => kind.service('reader'))],
    },
  });
});
afterAll(async () => {
  await portal.close();
  server.close();
});

async function expectCause(answer: Answer, code: CauseCode, detail: object, field?: string) {
  const launch = await launchOf(portal, answer);
  const [entry] = entriesOf(launch, code);
  expect([Object.keys(launch?.entries ?? {}).join(), entry?.detail]).toEqual([
    expect.stringContaining(code),
    expect.objectContaining(detail),
  ]);
  expect(entry?.change?.field).toBe(field);
  expect(entry?.developer).toMatch(/^[^{]+$/);
  return { launch, entry };
}

async function tokenOf(): Promise<string> {
  return (await new SmartApp(portal, { client: app, scope }).tokens(people.patient)).access_token;
}

async function signedJwt(claims: object, typ: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', typ, kid: 'hidden-key' }).sign(privateKey);
}

/** Each request has an address of its own, of which none has many records. */
function elsewhere() {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
}
let addresses = 0;
const send = (token: string, path: string, options: { method?: string; headers?: object; body?: string } = {}) =>
  new Agent(portal.issuer).send(`/fhir${path}`, {
    method: 'GET',
    ...options,
    headers: { ...elsewhere(), ...asBearer(token), ...options.headers },
  });

describe.each(
  clientKinds.flatMap((kind) =>
    inTurn(appsOfKind(kind), kind.number).map((client) => ({ name: client.clientId, kind, client })),
  ),
)('A token of $name', ({ kind, client }) => {
  it('whose user needs a stronger sign-in is named in the record of its launch, with the level that is needed', async () => {
    const launched = kind.app(portal, client, { scope });
    const { access_token: token } = await launched.tokens(people.patient);
    const answer = await kind.read(launched.browser, '/fhir/Coverage/1', token);
    expect(answer.status).toBe(401);
    const needed = 'a sign-in with two factors within the last 600 s';
    const { entry } = await expectCause(answer, 'gateway-sign-in', { method: 'GET', type: 'Coverage', needed });
    expect(entry?.change?.configuration).toBe('gateway.stepUp');
  });

  it('that lacks a scope is named in the record of its launch, once with a count, and with the scope', async () => {
    const launched = kind.app(portal, client, { scope });
    const { access_token: token } = await launched.tokens(people.patient);
    await kind.read(launched.browser, '/fhir/Encounter/visit-1', token);
    const answer = await kind.read(launched.browser, '/fhir/Encounter/visit-2', token);
    expect(answer.status).toBe(403);
    const detail = { method: 'GET', type: 'Encounter', scope: 'patient/Encounter.r' };
    const { launch, entry } = await expectCause(answer, 'gateway-scope-missing', detail);
    expect(entry?.count).toBe(2);
    expect(launch).toMatchObject({ kind: 'launch', outcome: 'completed', client_id: client.clientId });
  });

  it('whose user has paused the app is named with this cause in the record of its launch', async () => {
    const launched = kind.app(portal, client, { scope });
    const { access_token: token } = await launched.tokens(people.patient);
    const pause = `/api/grant/pause?clientId=${client.clientId}`;
    await launched.browser.send(pause, { method: 'PUT' });
    const answer = await kind.read(launched.browser, '/fhir/Patient/1', token);
    await launched.browser.send(pause, { method: 'DELETE' });
    expect(answer.status).toBe(401);
    await expectCause(answer, 'gateway-app-paused', { type: 'Patient' });
  });

  it('whose access has ended is named with this cause in the record of its launch', async () => {
    const launched = kind.app(portal, client, { scope: `${scope} offline_access` });
    const tokens = await launched.tokens(people.patient);
    const read = () => kind.read(launched.browser, '/fhir/Patient/1', tokens.access_token);
    expect((await read()).status).toBe(200);
    expect((await launched.revoke(tokens.access_token)).status).toBe(200);
    const answer = await read();
    expect(answer.status).toBe(401);
    const reason = 'The app revoked its own token';
    const { launch } = await expectCause(answer, 'gateway-access-had-ended', { type: 'Patient', reason });
    expect(launch).toMatchObject({ kind: 'launch', client_id: client.clientId });
  });
});

describe.each(
  clientKinds.flatMap((kind) => appsOfKind(kind).map((client) => ({ name: client.clientId, kind, client }))),
)('A text in the place of the access token of $name', ({ kind, client }) => {
  it('that was issued as something else, or was damaged, is told in the launch that it belongs to', async () => {
    const launched = kind.app(portal, client, { scope: `${scope} offline_access` });
    const tokens = await launched.tokens(people.patient);
    const { access_token: token, refresh_token: refresh = '', id_token: id = '' } = tokens;
    const isJwt = token.includes('.');
    const texts: [string, CauseCode, object, boolean][] = [
      [refresh, 'gateway-token-other-kind', { sent: 'refresh token' }, true],
      [id, 'gateway-token-other-kind', { sent: 'id_token' }, false],
      [`'${token}'`, 'gateway-token-damaged', { damage: "it stands between ' and '" }, true],
      [`${token}%20`, 'gateway-token-damaged', { damage: expect.stringContaining('percent-encoded') }, true],
      [token.slice(0, -4), isJwt ? 'gateway-token-changed' : 'gateway-token-unknown', { type: 'Patient' }, isJwt],
    ];
    for (const [text, code, detail, isOfLaunch] of texts) {
      const answer = await send('', '/Patient/1', { headers: { authorization: `${kind.tokenType} ${text}` } });
      const { launch } = await expectCause(answer, code, detail);
      expect([launch?.kind, launch?.client_id ?? null]).toEqual(
        isOfLaunch ? ['launch', client.clientId] : ['unknown', text === id ? client.clientId : null],
      );
    }
  });
});

describe.each(confidentialKinds)('A back-end service ($name)', (kind) => {
  it('has its refusals at the gateway beside its token requests', async () => {
    const service = kind.service('reader');
    const agent = new Agent(portal.issuer);
    const form = { grant_type: 'client_credentials', scope: 'system/Patient.rs' };
    const issued = await kind.post(agent, '/connect/token', service, form);
    const answer = await kind.read(agent, '/fhir/Encounter/visit-1', issued.json<Tokens>().access_token);
    const detail = { type: 'Encounter', scope: 'system/Encounter.r' };
    const { launch } = await expectCause(answer, 'gateway-scope-missing', detail);
    expect(launch).toMatchObject({ kind: 'service', outcome: 'completed', client_id: service.clientId });
    expect(Object.keys(launch?.entries ?? {})).toContain('tokens-issued');
  });
});

type Mistake = [string, CauseCode, () => object, (token: string) => Promise<Answer>, string?];
const mistakes: Mistake[] = [
  [
    'a search without its scope',
    'gateway-scope-missing',
    () => ({ type: 'Encounter', scope: 'patient/Encounter.s' }),
    (token) => send(token, '/Encounter?patient=hidden-value'),
  ],
  [
    'a change without its scope',
    'gateway-scope-missing',
    () => ({ method: 'PUT', type: 'Patient', scope: 'patient/Patient.u' }),
    (token) =>
      send(token, '/Patient/1', { method: 'PUT', body: '{}', headers: { 'content-type': 'application/fhir+json' } }),
  ],
  [
    "another patient's record",
    'gateway-other-patient',
    () => ({ method: 'GET', type: 'Patient' }),
    (token) => send(token, '/Patient/2'),
  ],
  [
    'a record that does not exist',
    'gateway-not-open',
    () => ({ method: 'GET', type: 'Procedure' }),
    (token) => send(token, '/Procedure/2'),
  ],
  [
    'no Authorization header',
    'gateway-token-missing',
    () => ({ method: 'GET', type: 'Patient', found: 'The header x-authorization is not read.' }),
    (token) =>
      new Agent(portal.issuer).get('/fhir/Patient/1', {
        headers: { ...elsewhere(), 'x-authorization': `Bearer ${token}` },
      }),
  ],
  [
    'a document that is at the issuer',
    'gateway-document-elsewhere',
    () => ({
      method: 'GET',
      document: '.well-known/openid-configuration',
      right: `${portal.issuer}/.well-known/openid-configuration`,
    }),
    () => new Agent(portal.issuer).get('/fhir/.well-known/openid-configuration', { headers: elsewhere() }),
  ],
  [
    'the token in the address',
    'gateway-token-in-address',
    () => ({ method: 'GET', type: 'Observation' }),
    (token) => new Agent(portal.issuer).get(`/fhir/Observation?access_token=${token}`, { headers: elsewhere() }),
  ],
  [
    'the token in the body',
    'gateway-token-in-body',
    () => ({ method: 'POST', type: 'Observation' }),
    (token) =>
      new Agent(portal.issuer).send('/fhir/Observation/_search', {
        method: 'POST',
        form: { access_token: token, code: 'x' },
        headers: elsewhere(),
      }),
  ],
  [
    'a body of another type',
    'gateway-body-type',
    () => ({ sent: 'as application/xml', needed: 'as application/x-www-form-urlencoded' }),
    (token) =>
      send(token, '/Patient/_search', {
        method: 'POST',
        body: '<x/>',
        headers: { 'content-type': 'application/xml' },
      }),
  ],
  [
    'no space after the scheme',
    'gateway-token-unreadable',
    () => ({ reason: 'no space follows Bearer' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: `Bearer:${token}` } }),
  ],
  [
    'a scheme without a token',
    'gateway-token-unreadable',
    () => ({ reason: 'there is no token after Bearer' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: 'Bearer' } }),
  ],
  [
    'credentials of a client',
    'gateway-token-unreadable',
    () => ({ reason: 'its scheme is Basic' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: `Basic ${btoa(`reading-app:${token}`)}` } }),
  ],
  [
    'the token without a scheme',
    'gateway-token-unreadable',
    () => ({ reason: 'it does not begin with a scheme' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: token } }),
  ],
  [
    'quotes around the token',
    'gateway-token-damaged',
    () => ({ damage: 'it stands between " and "' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: `Bearer "${token}"` } }),
  ],
  [
    'a name in front of the token',
    'gateway-token-damaged',
    () => ({ damage: 'it has access_token= in front of it' }),
    (token) => send(token, '/Patient/1', { headers: { authorization: `Bearer access_token=${token}` } }),
  ],
  [
    'a text that was not issued here',
    'gateway-token-unknown',
    () => ({ type: 'Patient' }),
    () => send('a'.repeat(43), '/Patient/1'),
  ],
  [
    'a token of another server',
    'gateway-token-foreign',
    () => ({ issuer: 'https://other.example' }),
    async () => send(await signedJwt({ iss: 'https://other.example' }, 'at+jwt'), '/Patient/1'),
  ],
  [
    'a search parameter that is not passed on',
    'gateway-search-parameter',
    () => ({ type: 'Patient', name: '_filter', fault: 'is none that is passed on to the FHIR server' }),
    (token) => send(token, '/Patient?_filter=hidden-value'),
  ],
  [
    'an address that is not understood',
    'gateway-request-form',
    () => ({ method: 'GET', type: 'Patient', fault: 'its address is none of FHIR' }),
    (token) => send(token, '/Patient/1/hidden/value/more'),
  ],
  [
    'a slash at the end of its address',
    'gateway-request-form',
    () => ({ fault: 'its address has a slash at its end' }),
    (token) => send(token, '/Patient/1/'),
  ],
  [
    'an answer in XML',
    'gateway-request-form',
    () => ({ fault: 'its Accept header is application/fhir+xml' }),
    (token) => send(token, '/Patient/1', { headers: { accept: 'application/fhir+xml' } }),
  ],
  [
    'a change of no resource',
    'gateway-request-form',
    () => ({ fault: expect.stringContaining('neither an id nor a condition') }),
    (token) => send(token, '/Patient', { method: 'PUT', body: '{"resourceType":"Patient"}' }),
  ],
  [
    'no token after the scheme but a variable',
    'gateway-token-placeholder',
    () => ({ template: 'undefined' }),
    () => send('undefined', '/Patient/1'),
  ],
  [
    'another method in a header',
    'gateway-refused',
    () => ({ status: 400, remedy: expect.stringMatching(/^Have the app do without this request: /) }),
    (token) => send(token, '/Patient/1', { headers: { 'x-http-method-override': 'DELETE' } }),
  ],
  [
    'a DPoP proof with a nonce that was not given to it',
    'gateway-nonce',
    () => ({ method: 'GET', type: 'Patient' }),
    async (token) => {
      const proofKey = await makeProofKey();
      const url = `${portal.fhirBase}/Patient/1`;
      const dpop = await proofBy(proofKey, url, { method: 'GET', token, claims: { nonce: 'hidden-nonce' } });
      return send(token, '/Patient/1', { headers: { authorization: `DPoP ${token}`, dpop } });
    },
  ],
  [
    'an access token for another base',
    'gateway-token-elsewhere',
    () => ({ sent: portal.fhirBase, expected: `${portal.fhirBase}/north`, type: 'Patient' }),
    (token) => send(token, '/north/Patient/1'),
  ],
  [
    'an access token that has expired',
    'gateway-token-expired',
    () => ({ seconds: expect.closeTo(30, -1), type: 'Patient' }),
    async (token) => {
      await portal.query(
        "UPDATE oidc_record SET expires_at = now() - interval '30 seconds' WHERE model = 'AccessToken'",
      );
      return send(token, '/Patient/1');
    },
    'accessTokenLifetime',
  ],
];

describe('A request at the gateway', () => {
  it.each(mistakes)('with %s is recorded as %s, without ids and values', async (_, code, detail, make, ...[field]) => {
    const answer = await make(await tokenOf());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers['access-control-expose-headers']).toContain('X-Launch-Reference');
    const { launch } = await expectCause(answer, code, detail(), field);
    expect(JSON.stringify(launch?.entries)).not.toMatch(/hidden|Patient\/1/);
  });

  it('in a batch is recorded like a single one', async () => {
    const entry = [{ request: { method: 'GET', url: 'Encounter/visit-1' } }];
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const headers = { 'content-type': 'application/fhir+json' };
    const answer = await send(await tokenOf(), '', { method: 'POST', body, headers });
    expect(answer.status).toBe(200);
    const detail = { method: 'GET', type: 'Encounter', scope: 'patient/Encounter.r' };
    await expectCause(answer, 'gateway-scope-missing', detail);
  });

  it('that passes has no reference', async () => {
    const { status, headers } = await send(await tokenOf(), '/Patient/1');
    expect([status, headers['x-launch-reference']]).toEqual([200, undefined]);
  });
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(portal, 'gateway', ['undefined']));
