import { mock } from 'node:test';
import { OidcRecords } from '../../src/oidc-store/infrastructure/oidc-records.js';
import { Database } from '../../src/platform/database/database.js';
import { log } from '../../src/platform/logging/log.js';
import { ClockWatch, clockAgreement } from '../../src/portal/application/clock-watch.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import {
  assertionType,
  clientAssertion,
  makeClientKey,
  nowSeconds,
  serviceWithKeys,
} from '../support/clients/assertions.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import { backendService, publicApp, sharedSecret } from '../support/clients/clients.js';
import { mintServiceToken, mintTokenLike } from '../support/clients/minted-tokens.js';
import { withMovableClock } from '../support/database/movable-clock.js';
import { Agent } from '../support/http/agent.js';
import { startFhirPortal } from '../support/portal/fhir-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const key = await makeClientKey('ES384', 'key');
const keyed = serviceWithKeys('keyed-service', [key]);
const jwtApp = { ...publicApp, accessTokenType: 'Jwt' };
const appsOfKinds = clientKinds.map((kind) => kind.client('clocked', { accessTokenType: 'Jwt' }));
const referenceApp = { ...publicApp, clientId: 'reference-app', accessTokenType: 'Reference' };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startFhirPortal({
    reachDatabase: withMovableClock,
    config: {
      users: [people.patient],
      clients: [jwtApp, referenceApp, backendService, keyed, ...appsOfKinds],
    },
  });
});

afterAll(() => portal.close());

const setDatabaseAhead = (seconds: number) =>
  portal.query('UPDATE clock.ahead SET by = make_interval(secs => $1)', [seconds]);

const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  new Agent(portal.issuer).postForm(path, form, { headers });

async function isActive(token: string, client: { clientId: string } = backendService): Promise<boolean> {
  const proof =
    client === backendService
      ? basicAuthorization(client.clientId, sharedSecret)
      : { authorization: `Bearer ${token}` };
  const answer = await post('/connect/introspect', { token }, proof);
  return answer.status === 200 && answer.json().active === true;
}

async function atGateway(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await new Agent(portal.issuer).get('/fhir/Observation/1', { headers })).status;
}

const withAssertion = (assertion: string) =>
  post('/connect/token', {
    grant_type: 'client_credentials',
    scope: 'system/*.rs',
    client_assertion_type: assertionType,
    client_assertion: assertion,
  });

const assertionOf = (claims = {}) =>
  clientAssertion({ clientId: keyed.clientId, audience: `${portal.issuer}/connect/token`, key, claims });

describe.each([10, -10])('With a database clock %p seconds ahead', (seconds) => {
  beforeAll(() => setDatabaseAhead(seconds));
  afterAll(() => setDatabaseAhead(0));

  it.each([jwtApp, referenceApp])(
    'Q-04 a user signs in, and the tokens are valid at once ($clientId)',
    async (client) => {
      const app = new SmartApp(portal, { client });
      const { access_token, refresh_token = '' } = await app.tokens(people.patient);
      expect(await isActive(access_token, client)).toBe(true);
      const headers = { authorization: `Bearer ${access_token}` };
      expect((await new Agent(portal.issuer).get('/connect/userinfo', { headers })).status).toBe(200);
      const refreshed = await app.refresh(refresh_token);
      expect(refreshed.status).toBe(200);
      expect((await app.refresh(refreshed.json<{ refresh_token: string }>().refresh_token)).status).toBe(200);
      expect((await app.browser.get('/api/session')).status).toBe(200);
    },
  );

  it('Q-04 a service authenticates with assertions of a clock ten seconds off in the other direction', async () => {
    const then = nowSeconds() - Math.sign(seconds) * 10;
    expect((await withAssertion(await assertionOf({ iat: then, nbf: then, exp: then + 300 }))).status).toBe(200);
  });

  it('Q-04 a token that another node has just signed is valid', async () => {
    const then = nowSeconds() + seconds;
    expect(await isActive(await mintServiceToken(portal, { claims: { iat: then, nbf: then, exp: then + 300 } }))).toBe(
      true,
    );
  });

  it('Q-04 the node is ready', async () => {
    const ready = await new Agent(portal.issuer).get('/health/ready');
    expect([ready.status, ready.json().clock]).toEqual([200, true]);
  });
});

it.each([300, -300])('Q-04 a node whose clock is %p seconds behind the database’s is not ready', async (seconds) => {
  await setDatabaseAhead(seconds);
  const ready = await new Agent(portal.issuer).get('/health/ready');
  expect([ready.status, ready.json()]).toEqual([
    503,
    { status: 'unready', database: true, migrations: true, clock: false },
  ]);
  expect((await new Agent(portal.issuer).get('/health/live')).status).toBe(200);
  await setDatabaseAhead(0);
  expect((await new Agent(portal.issuer).get('/health/ready')).status).toBe(200);
});

it('Q-04 a node says without a probe that its clock begins and ends to differ from the database’s, once each', async () => {
  const said: string[] = [];
  for (const level of ['info', 'warn', 'error'] as const)
    mock.method(log, level, (...parts: unknown[]) => {
      if (/the clocks of this node/.test(String(parts.at(-1)))) said.push(`${level}: ${parts.at(-1)}`);
    });
  const database = portal.apps[0]?.get(Database, { strict: false }) as Database;
  try {
    await setDatabaseAhead(30);
    const watch = new ClockWatch(database);
    watch.onApplicationBootstrap();
    await until(() => said.length > 0);
    for (const seconds of [30, -30, 90, 300, 0, 0]) {
      await setDatabaseAhead(seconds);
      await watch.measure(database);
    }
    await watch.onModuleDestroy();
    expect(said).toEqual([
      'warn: the clocks of this node and the database differ: synchronize them',
      'error: the clocks of this node and the database differ: synchronize them; the node is not ready',
      'info: the clocks of this node and the database agree again',
    ]);
  } finally {
    mock.restoreAll();
    await setDatabaseAhead(0);
  }
});

it.each([
  [0, 'agree', 'agree'],
  [4.9, 'agree', 'agree'],
  [5.1, 'agree', 'differ'],
  [-5.1, 'agree', 'differ'],
  [4.5, 'differ', 'differ'],
  [-3.9, 'differ', 'agree'],
  [60.1, 'agree', 'apart'],
  [-60.1, 'differ', 'apart'],
  [30, 'apart', 'differ'],
  [0, 'apart', 'agree'],
] as const)('Q-04 clocks with a difference of %p s that did %p before do %p', (seconds, before, after) => {
  expect(clockAgreement(seconds, before)).toBe(after);
});

it('Q-05 a used assertion is still refused after the clock went an hour ahead, expired rows were deleted, and the clock went back', async () => {
  const assertion = await assertionOf();
  expect((await withAssertion(assertion)).status).toBe(200);
  const records = portal.apps[0]?.get(OidcRecords, { strict: false }) as OidcRecords;
  await setDatabaseAhead(3600);
  await records.sweep(5000, 0);
  await setDatabaseAhead(0);
  expect((await withAssertion(assertion)).status).toBe(401);
  await setDatabaseAhead(3600 + 400);
  expect(await records.sweep(5000, 0)).toBeGreaterThan(0);
  await setDatabaseAhead(0);
});

/** Waits until the gateway reaches the FHIR server: after that, it answers 401 only to tokens that it refuses. */
async function gatewayReaches(): Promise<void> {
  const token = await mintServiceToken(portal);
  await until(async () => (await atGateway(token)) === 200);
}

describe('B-22 The expiry of a JWT access token (service)', () => {
  const endingIn = (seconds: number) =>
    mintServiceToken(portal, { claims: { iat: nowSeconds() - 600, exp: nowSeconds() + seconds } });

  beforeAll(gatewayReaches);

  it('B-22 is its exp, except at the gateway', async () => {
    expect(await isActive(await endingIn(20))).toBe(true);
    const ended = await endingIn(-1);
    expect(await isActive(ended)).toBe(false);
    expect(await atGateway(ended)).toBe(200);
  });

  it('B-22 is exactly five minutes later at the gateway', async () => {
    expect(await atGateway(await endingIn(-280))).toBe(200);
    expect(await atGateway(await endingIn(-301))).toBe(401);
  });
});

describe.each(clientKinds)('B-22 The expiry of a JWT access token ($name)', (kind) => {
  let issued: string;
  const agent = () => new Agent(portal.issuer);
  const endingIn = (seconds: number) =>
    mintTokenLike(portal, issued, { iat: nowSeconds() - 600, exp: nowSeconds() + seconds });
  const atUserinfo = async (token: string) => (await kind.userinfo(agent(), token)).status;
  const isTakenAtGateway = async (token: string) => (await kind.read(agent(), '/fhir/Patient/1', token)).status !== 401;

  beforeAll(async () => {
    await gatewayReaches();
    issued = (await kind.app(portal, kind.client('clocked')).tokens(people.patient)).access_token;
  });

  it('B-22 is its exp, except at the gateway', async () => {
    expect(await atUserinfo(await endingIn(20))).toBe(200);
    const ended = await endingIn(-1);
    expect(await atUserinfo(ended)).toBe(401);
    expect(await isActive(ended)).toBe(false);
    expect(await isTakenAtGateway(ended)).toBe(true);
  });

  it('B-22 is exactly five minutes later at the gateway', async () => {
    expect(await isTakenAtGateway(await endingIn(-280))).toBe(true);
    expect(await isTakenAtGateway(await endingIn(-301))).toBe(false);
  });
});
