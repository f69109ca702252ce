/**
 * Requests that went to an address of another product, to the management API with the token of an app, or could not be
 * read: each has a reference that leads to the right address, or to what has to be changed.
 */
import type { CauseCode } from '../../src/contract/activity/catalogue.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { type ClientKind, clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { Agent, type Answer, type RequestOptions } from '../support/http/agent.js';
import { allWritten, entriesOf, type LaunchRow, launchOf } from '../support/portal/launch-rows.js';
import { pauseApp } from '../support/portal/paused-app.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { asBearer } from '../support/portal/token-portal.js';
import { people } from '../support/users/people.js';

const clientOf = (kind: ClientKind) => kind.client('lost');
const resourceServer = (kind: ClientKind) => ({ ...kind.service('asking'), allowIntrospection: true });
const scope = 'openid launch/patient patient/*.rs offline_access';
const secrets = SentSecrets.collect();

let portal: TestPortal;
beforeAll(async () => {
  const clients = [...clientKinds.map(clientOf), ...confidentialKinds.map(resourceServer)];
  portal = await startPortal({
    config: { server: { trustedProxies: ['127.0.0.1'] }, users: [people.patient], clients },
  });
});
afterAll(() => portal.close());

/** An address has some records a day, so each test has one of its own. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});
const from = () => ({ 'x-forwarded-for': `203.0.113.${tests}` });
const send = (path: string, options: RequestOptions = {}) =>
  new Agent(portal.issuer).send(path, { ...options, headers: { ...from(), ...options.headers } });

async function expectCause(answer: Answer, code: CauseCode, detail: object): Promise<LaunchRow | undefined> {
  const row = await launchOf(portal, answer);
  const [entry] = entriesOf(row, code);
  expect([Object.keys(row?.entries ?? {}).join(), entry?.detail]).toEqual([
    expect.stringContaining(code),
    expect.objectContaining(detail),
  ]);
  for (const text of [entry?.decidedBy, entry?.developer, entry?.change?.text]) expect(text).toMatch(/^[^{]+$/);
  return row;
}

describe.each(clientKinds)('A client ($name)', (kind) => {
  const { clientId } = clientOf(kind);

  it('whose code goes to the token endpoint of another product is told the right address, in its launch', async () => {
    const app = kind.app(portal, clientOf(kind), { scope });
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: clientId };
    const answer = await kind.post(new Agent(portal.issuer), '/oauth2/token', clientOf(kind), form);
    const right = `${portal.issuer}/connect/token`;
    expect([answer.status, answer.json().error_description]).toEqual([404, expect.stringContaining(right)]);
    expect(answer.json().error_description).toContain(`Reference: ${answer.headers['x-launch-reference']}`);
    const detail = { method: 'POST', sent: '/oauth2/token', endpoint: 'token endpoint', right };
    expect(await expectCause(answer, 'endpoint-elsewhere', detail)).toMatchObject({
      kind: 'launch',
      client_id: clientId,
    });
    const issued = await app.exchange(code);
    expect([issued.status, (await launchOf(portal, issued))?.outcome]).toEqual([200, 'completed']);
  });

  it('that sends users to the authorization endpoint of another product is named in its record', async () => {
    const query = new URLSearchParams({ client_id: clientId, response_type: 'code', state: 'hidden-state' });
    const answer = await send(`/oauth2/authorize?${query}`, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('name="gatehouse-reference"')]);
    const detail = { sent: '/oauth2/authorize', right: `${portal.issuer}/connect/authorize` };
    expect(await expectCause(answer, 'endpoint-elsewhere', detail)).toMatchObject({ client_id: clientId });
  });

  it('whose token is for data is told so by the management API, in its launch', async () => {
    const { access_token: token } = await kind.app(portal, clientOf(kind), { scope }).tokens(people.patient);
    const answer = await send('/api/admin/client', { headers: asBearer(token) });
    expect(answer.status).toBe(401);
    const detail = { method: 'GET', sent: portal.fhirBase, expected: `${portal.issuer}/api/admin` };
    expect(await expectCause(answer, 'gateway-token-elsewhere', detail)).toMatchObject({ client_id: clientId });
  });
});

describe.each(clientKinds)('A sign-out of a client ($name)', (kind) => {
  it('with its address under another name is told the name, in its record alone', async () => {
    const { clientId } = clientOf(kind);
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: 'https://app.example/signed-out' });
    const answer = await send(`/connect/endsession?${query}`);
    expect(answer.status).toBe(200);
    await expectCause(answer, 'sign-out-address-misnamed', { similar: 'redirect_uri' });
  });

  it('that is sent as JSON is told that only a form is read', async () => {
    const body = { client_id: clientOf(kind).clientId };
    const answer = await send('/connect/endsession', { method: 'POST', body });
    expect(answer.status).toBe(400);
    await expectCause(answer, 'endpoint-body-type', { endpoint: 'sign-out', type: 'application/json' });
  });
});

describe.each(clientKinds.filter(({ isPublic }) => isPublic))('A public client ($name)', (kind) => {
  it('that asks about a token by its id alone is told what authorizes it', async () => {
    const answer = await kind.post(new Agent(portal.issuer), '/connect/introspect', clientOf(kind), { token: 'x' });
    expect(answer.status).toBe(401);
    await expectCause(answer, 'introspection-by-public', {});
  });
});

describe.each(confidentialKinds)('A resource server ($name)', (kind) => {
  it('that asks about the token of a paused app has a record of it, and the answer tells nothing', async () => {
    const client = clientOf(kind);
    const { access_token: token } = await kind.app(portal, client, { scope }).tokens(people.patient);
    await pauseApp(portal, people.patient, client.clientId);
    const asking = resourceServer(kind);
    const isInactive = async () => {
      const answer = await kind.post(new Agent(portal.issuer), '/connect/introspect', asking, { token });
      return [answer.text, answer.headers['x-launch-reference']].join() === '{"active":false},';
    };
    while (!(await isInactive())) await new Promise((resolve) => setTimeout(resolve, 50));
    await allWritten(portal);
    const [row] = await portal.query<LaunchRow>("SELECT * FROM launch WHERE client_id = $1 AND kind = 'unknown'", [
      asking.clientId,
    ]);
    const [entry] = entriesOf(row, 'introspection-of-paused');
    expect([entry?.detail, entry?.decidedBy]).toEqual([{ owner: client.clientId }, 'Paused by the user']);
  });
});

const twice = (path: string, options: RequestOptions = {}) => {
  const Authorization = ['Basic eDp4', 'Basic eDp4'] as unknown as string;
  return send(path, { ...options, headers: { ...options.headers, Authorization } });
};

describe('A request without a client', () => {
  const rows: [string, CauseCode, () => object, () => Promise<Answer>][] = [
    [
      'to a discovery document of another product',
      'endpoint-elsewhere',
      () => ({ endpoint: 'discovery document', right: `${portal.issuer}/.well-known/openid-configuration` }),
      () => send('/.well-known/oauth-authorization-server/fhir'),
    ],
    [
      'to the SMART configuration above the FHIR base',
      'endpoint-elsewhere',
      () => ({ right: `${portal.fhirBase}/.well-known/smart-configuration` }),
      () => send('/.well-known/smart-configuration'),
    ],
    [
      'to the authorization endpoint below the FHIR base',
      'gateway-endpoint-elsewhere',
      () => ({ sent: 'authorize', endpoint: 'authorization endpoint', right: `${portal.issuer}/connect/authorize` }),
      () => send('/fhir/authorize'),
    ],
    [
      'to an endpoint for devices',
      'endpoint-not-offered',
      () => ({ endpoint: 'endpoint for devices', instead: expect.stringContaining('RFC 8628') }),
      () => send('/oauth2/device_authorization', { method: 'POST', form: { client_id: 'x' } }),
    ],
    ['to register itself', 'registration-not-offered', () => ({}), () => send('/oauth2/register', { method: 'POST' })],
    [
      'to register itself at the address of a page',
      'registration-not-offered',
      () => ({}),
      () => send('/register', { method: 'POST', body: { redirect_uris: [] } }),
    ],
    [
      'to the management API with credentials of a client',
      'gateway-token-unreadable',
      () => ({ reason: 'its scheme is Basic' }),
      () => send('/api/admin/client', { headers: basicAuthorization('x', 'hidden') }),
    ],
    [
      'with two Authorization headers to the token endpoint',
      'endpoint-unreadable',
      () => ({ endpoint: 'token', fault: 'it has two Authorization headers', remedy: expect.stringContaining('once') }),
      () => twice('/connect/token', { method: 'POST', form: { grant_type: 'client_credentials' } }),
    ],
    [
      'with two Authorization headers for data',
      'gateway-unreadable',
      () => ({ fault: 'it has two Authorization headers', remedy: expect.stringContaining('each header once') }),
      () => twice('/fhir/Patient/1'),
    ],
    [
      'to another host for data',
      'gateway-unreadable',
      () => ({ fault: expect.stringContaining('it was sent to other.example'), configuration: 'server.issuer' }),
      () => send('/fhir/Patient/1', { headers: { host: 'other.example' } }),
    ],
    [
      'by the device flow',
      'token-grant-type-unknown',
      () => ({ hint: expect.stringContaining('RFC 8628') }),
      () =>
        send('/connect/token', {
          method: 'POST',
          form: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'hidden' },
        }),
    ],
    [
      'by a JWT as grant',
      'token-grant-type-unknown',
      () => ({ hint: expect.stringContaining('client_assertion, with client_credentials') }),
      () =>
        send('/connect/token', {
          method: 'POST',
          form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'hidden.hidden.hidden' },
        }),
    ],
  ];

  it.each(rows)('%s: %s', async (_, code, detail, request) => {
    const answer = await request();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await expectCause(answer, code, detail()))?.kind).toBe('unknown');
  });

  it('is answered for the page of an app at any origin', async () => {
    const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const allowed = await send('/oauth2/token', { method: 'OPTIONS', headers: asked });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, '*']);
    const answer = await send('/oauth2/token', { method: 'POST', form: { code: 'x' }, headers: asked });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, '*']);
  });
});

it('No secret of these requests is recorded', () => secrets.expectNoneRecorded(portal, 'misdirected'));
