/**
 * A refused request belongs to the record of the client that it names, in whichever part: also where the endpoint reads
 * nothing of it, and where the proof of the client is damaged.
 */
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { backendService, confidentialApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer, type RequestOptions } from '../../support/http/agent.js';
import { launchOf } from '../../support/portal/launch-rows.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';

const key = await makeClientKey('ES384', 'own-key');
const named = { ...confidentialApp, clientId: 'named-client', clientSecrets: confidentialApp.clientSecrets };
const service = serviceWithKeys('named-service', [key], sharedSecret);
let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal({
    config: {
      server: { trustedProxies: ['127.0.0.1'] },
      ehr: { callers: [{ id: 'ward', secret: sharedSecret }] },
      clients: [named, service, backendService],
      limits: { startsPerMinute: 3 },
    },
  });
});
afterAll(() => portal.close());

let addresses = 0;
beforeEach(() => {
  addresses += 1;
});
const send = (path: string, options: RequestOptions = {}) =>
  new Agent(portal.issuer).send(path, {
    ...options,
    headers: { 'x-forwarded-for': `198.51.100.${addresses}`, ...options.headers },
  });
const form = (path: string, parameters: Record<string, string> | string, headers: Record<string, string> = {}) =>
  send(path, {
    method: 'POST',
    body: typeof parameters === 'string' ? parameters : String(new URLSearchParams(parameters)),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const json = (path: string, body: object, headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', body, headers });
const asBasic = (text: string, encoding: 'base64' | 'base64url' = 'base64') => ({
  authorization: `Basic ${Buffer.from(text).toString(encoding)}`,
});
const asBearer = (token: string) => ({ authorization: `Bearer ${token}` });
const assertion = (claims: object) =>
  clientAssertion({ clientId: service.clientId, audience: portal.issuer, key, claims: claims as never });
/** A JWT that nothing has signed. */
const jwt = (claims: object) =>
  [{ alg: 'none', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.') + '.';

type Row = [name: string, send: () => Promise<Answer>];
const client_id = named.clientId;
const grant = { grant_type: 'client_credentials' };
const endpoints = {
  token: grant,
  introspect: { token: 'x' },
  revocation: { token: 'x' },
  par: { response_type: 'code' },
};

const authenticated: Row[] = Object.entries(endpoints).flatMap(([name, body]): Row[] => {
  const path = `/connect/${name}`;
  return [
    [`${name}: JSON`, () => json(path, { ...body, client_id })],
    [`${name}: in the address`, () => form(`${path}?${new URLSearchParams({ ...body, client_id } as never)}`, '')],
    [
      `${name}: the id twice`,
      () => form(path, `${new URLSearchParams(body as never)}&client_id=${client_id}&client_id=${client_id}`),
    ],
    [`${name}: % in Basic`, () => form(path, body as never, asBasic(`${client_id}:50%off`))],
    [`${name}: Basic in base64url`, () => form(path, body as never, asBasic(`${client_id}:ÿÿ>>??~~`, 'base64url'))],
    [`${name}: Basic without base64`, () => form(path, body as never, { authorization: `Basic ${client_id}:secret` })],
    [`${name}: Basic without a secret`, () => form(path, body as never, asBasic(client_id))],
    [`${name}: NUL in the body`, () => form(path, 'scope=%00', basicAuthorization(client_id, 'x'))],
    [`${name}: NUL and the id`, () => form(path, `client_id=${client_id}&scope=%00`)],
    [`${name}: a body that is too large`, () => form(path, 'x'.repeat(70_000), basicAuthorization(client_id, 'x'))],
    [`${name}: another method`, () => send(`${path}?client_id=${client_id}`, { method: 'PUT' })],
  ];
});
const unparsed: Row[] = [
  ['authorize: JSON', () => json('/connect/authorize', { client_id })],
  ['authorize: another method', () => send(`/connect/authorize?client_id=${client_id}`, { method: 'PUT' })],
  ['authorize: in the request object', () => send(`/connect/authorize?request=${jwt({ iss: client_id, client_id })}`)],
  ['authorize: NUL in the address', () => send(`/connect/authorize?client_id=${client_id}&scope=%00`)],
  ['authorize: NUL in the form', () => form('/connect/authorize', `client_id=${client_id}&scope=%00`)],
  [
    'authorize: an address that is too long',
    () => send(`/connect/authorize?client_id=${client_id}&x=${'x'.repeat(9_000)}`),
  ],
  ['authorize: a name was added to the path', () => send(`/connect/authorize/smart/v1?client_id=${client_id}`)],
  ['sign-out: JSON', () => json('/connect/endsession', { client_id })],
  [
    'sign-out: a hint that was changed',
    () => send(`/connect/endsession?id_token_hint=${jwt({ iss: portal.issuer, aud: client_id })}`),
  ],
  [
    'sign-out: a hint of another issuer',
    () => send(`/connect/endsession?id_token_hint=${jwt({ iss: 'https://x.example', aud: client_id })}`),
  ],
  ['registration: the id', () => json('/connect/register', { client_id, client_name: 'x' })],
  ['registration: Basic', () => json('/connect/register', {}, basicAuthorization(client_id, 'x'))],
  ['another product: JSON', () => json('/oauth2/token', { client_id })],
  ['another product: the id', () => form('/oauth2/token', { client_id })],
  ['EHR: no credentials', () => form('/connect/launchContext', { client_id, patient: '1' })],
  [
    'EHR: a wrong secret',
    () => form('/connect/launchContext', { client_id, patient: '1' }, basicAuthorization('ward', 'x')),
  ],
  [
    'EHR: a wrong secret, as JSON',
    () => json('/connect/launchContext', { client_id, patient: '1' }, basicAuthorization('ward', 'x')),
  ],
  [
    'EHR: in the address',
    () => form(`/connect/launchContext?client_id=${client_id}`, {}, basicAuthorization('ward', sharedSecret)),
  ],
  [
    'EHR: another type',
    () =>
      send('/connect/launchContext', {
        method: 'POST',
        body: JSON.stringify({ client_id, patient: '1' }),
        headers: { ...basicAuthorization('ward', sharedSecret), 'content-type': 'text/plain' },
      }),
  ],
  ['EHR: another method', () => send(`/connect/launchContext?client_id=${client_id}`)],
  ['userinfo: Basic', () => send('/connect/userinfo', { headers: basicAuthorization(client_id, 'x') })],
  ['gateway: Basic', () => send('/fhir/Patient', { headers: basicAuthorization(client_id, 'x') })],
  ['gateway: no token, and the id in the address', () => send(`/fhir/Patient?client_id=${client_id}`)],
];

describe.each([...authenticated, ...unparsed])('%s', (_, request) => {
  it('is in the record of the client', async () => {
    const answer = await request();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect([(await launchOf(portal, answer))?.client_id, answer.status]).toEqual([client_id, answer.status]);
  });
});

const asserted: Row[] = [
  [
    'token: an assertion without sub',
    async () =>
      form('/connect/token', {
        ...grant,
        client_assertion_type: assertionType,
        client_assertion: await assertion({ sub: undefined }),
      }),
  ],
  [
    'token: an assertion under another name',
    async () => form('/connect/token', { ...grant, assertion: await assertion({}) }),
  ],
  ['token: an assertion in the header', async () => form('/connect/token', grant, asBearer(await assertion({})))],
  [
    'token: an assertion in JSON',
    async () => json('/connect/token', { ...grant, client_assertion: await assertion({}) }),
  ],
  [
    'introspection: an assertion without sub',
    async () =>
      form('/connect/introspect', {
        token: 'x',
        client_assertion_type: assertionType,
        client_assertion: await assertion({ sub: undefined }),
      }),
  ],
  [
    'introspection: an assertion as a token',
    async () => form('/connect/introspect', { token: 'x' }, asBearer(await assertion({}))),
  ],
  [
    'userinfo: an assertion as a token',
    async () => send('/connect/userinfo', { headers: asBearer(await assertion({})) }),
  ],
  ['gateway: an assertion as a token', async () => send('/fhir/Patient', { headers: asBearer(await assertion({})) })],
  [
    'another product: an assertion',
    async () => form('/oauth2/token', { client_assertion: await assertion({ sub: undefined }) }),
  ],
];

describe.each(asserted)('%s', (_, request) => {
  it('is in the record of the service', async () => {
    const answer = await request();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect([(await launchOf(portal, answer))?.client_id, answer.status]).toEqual([service.clientId, answer.status]);
  });
});

it('Starts beyond the limit are in the record of each client', async () => {
  const start = (id: string) => send(`/connect/authorize?client_id=${id}`);
  for (let count = 0; count < 3; count += 1) await start(client_id);
  for (const id of [client_id, backendService.clientId]) {
    const answer = await start(id);
    const row = await launchOf(portal, answer);
    expect([answer.status, row?.client_id, row?.cause]).toEqual([429, id, 'starts-exhausted']);
  }
});

describe('A secret in the place of the id', () => {
  const swapped = basicAuthorization(sharedSecret, client_id);
  it.each<Row>([
    ['with another method', () => send('/connect/token', { headers: swapped })],
    ['with a body that cannot be read', () => form('/connect/token', 'scope=%00', swapped)],
    ['with a parameter twice', () => form('/connect/token', 'grant_type=x&scope=a&scope=b', swapped)],
    ['without base64', () => form('/connect/token', grant, { authorization: `Basic ${sharedSecret}:${client_id}` })],
    ['with a % in the id', () => form('/connect/token', grant, asBasic(`${sharedSecret}:${client_id}%`))],
    ['at the gateway', () => send('/fhir/Patient', { headers: swapped })],
    ['at another address', () => form('/oauth2/token', grant, swapped)],
  ])('is in no record: %s', async (_, request) => {
    const row = await launchOf(portal, await request());
    expect(row?.id).toHaveLength(12);
    expect(JSON.stringify(row)).not.toContain(sharedSecret);
  });
});
