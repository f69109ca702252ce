import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { logoutJobs } from '../../../src/oidc-store/infrastructure/logout-queue.js';
import { Revocations } from '../../../src/oidc-store/infrastructure/revocations.js';
import { Database } from '../../../src/platform/database/database.js';
import { JobTable } from '../../../src/platform/jobs/job-table.js';
import { useLogoutReceiver } from '../../support/apps/logout-receiver.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const scope = 'openid fhirUser launch/patient patient/*.rs';
const receiver = useLogoutReceiver();
/** For all tests, but those whose jobs its nodes must not attempt. */
let shared: TestPortal;
let portal: TestPortal;

beforeAll(async () => {
  shared = await start();
});
beforeEach(() => {
  portal = shared;
});
afterEach(async () => {
  if (portal === shared) {
    await portal.query('DELETE FROM oidc_record');
    await portal.query('DELETE FROM job');
  } else await portal.close();
});
afterAll(() => shared.close());

function start({ nodes = 1, allowedPrivateHosts = ['localhost'] } = {}): Promise<TestPortal> {
  const silent = { ...publicApp, clientId: 'silent-app', clientName: 'Silent' };
  const backChannelLogoutUri = receiver.addressOf('heart');
  const ofKinds = clientKinds.map((kind) => kind.client('kind', { backChannelLogoutUri }));
  return startPortal({
    nodes,
    config: {
      clients: [...receiver.clients, ...ofKinds, silent],
      users: Object.values(people),
      outbound: { allowedPrivateHosts },
    },
  });
}

const signIn = async (browser = new Agent(portal.issuer), clientId = publicApp.clientId) => {
  const app = new SmartApp(portal, { client: { clientId }, scope }, browser);
  return { browser, ...(await app.tokens(people.patient)) } as {
    browser: Agent;
    id_token: string;
    access_token: string;
  };
};
const session = (browser: Agent) => browser.get('/api/session').then(({ status }) => status);
/** The lease of an attempt is 30 s; after a failure, the next attempt is due earlier. */
const queued = () =>
  portal.query<{ attempts: number; putOff: boolean }>(
    `SELECT attempts, attempts = 1 AND due_at < created_at + interval '25 seconds' AS "putOff" FROM job`,
  );
const tryAgainNow = () =>
  portal.query("WITH due AS (UPDATE job SET due_at = now()) SELECT pg_notify('gatehouse_jobs', 'backchannel-logout')");

async function verified(token: string): Promise<JWTPayload> {
  const jwks = await new Agent(portal.issuer).get('/.well-known/openid-configuration/jwks');
  const { payload } = await jwtVerify(token, createLocalJWKSet(jwks.json()), {
    issuer: portal.issuer,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
  });
  return payload;
}

describe('Signing out of the portal', () => {
  it('oidcc-backchannel-rp-initiated-logout sends a logout token to each app of the session that has registered for it', async () => {
    const { browser, id_token: idToken } = await signIn();
    await signIn(browser, 'other-app');
    await signIn(browser, 'silent-app');
    await browser.signOut();
    await until(() => receiver.tokens.length === 2);
    const [heart] = receiver.tokens.filter(({ path }) => path === '/heart');
    expect(heart?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const payload = await verified(heart?.token ?? '');
    const { sub, sid } = decodeJwt(idToken);
    expect(sid).toEqual(expect.any(String));
    expect(payload).toMatchObject({
      aud: publicApp.clientId,
      sub,
      sid,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(120);
    await until(async () => (await queued()).length === 0);
  });

  it('sends no session id to apps that did not register for it', async () => {
    const { id_token: idToken } = await signIn(undefined, 'silent-app');
    expect(decodeJwt(idToken)).not.toHaveProperty('sid');
  });

  it('does not wait for an app that does not respond', async () => {
    receiver.answer = () => undefined;
    const { browser } = await signIn();
    // The app answers only at the end of this test.
    await browser.signOut();
    expect(await session(browser)).toBe(401);
    await until(() => receiver.tokens.length === 1);
    receiver.disconnect();
  });
});

describe('A back-channel logout token', () => {
  it('is sent also when another user signs in to the same browser', async () => {
    const { browser } = await signIn();
    await browser.post('/api/session/login', {
      username: people.otherPatient.email,
      password: people.otherPatient.password,
      rememberLogin: false,
    });
    await until(() => receiver.tokens.length === 1);
  });

  it('P-07 is sent also when an account loses all its sessions, for each of them', async () => {
    const [first, second] = [new Agent(portal.issuer), new Agent(portal.issuer)];
    const idTokens: string[] = [];
    for (const kind of clientKinds) {
      for (const browser of [first, second]) {
        const app = kind.app(portal, kind.client('kind'), { scope }, browser);
        idTokens.push((await app.tokens(people.patient)).id_token ?? '');
      }
    }
    const { sub = '' } = decodeJwt(idTokens[0] ?? '');
    const [app] = portal.apps;
    await app
      ?.get(Database)
      .transaction(() => app.get(Revocations, { strict: false }).revokeAccount(sub, 'ended-with-account'));
    await until(() => receiver.tokens.length === idTokens.length);
    const endOf = (token: string) => `${decodeJwt(token).aud} ${decodeJwt(token).sid}`;
    expect(receiver.tokens.map(({ token }) => endOf(token)).sort()).toEqual(idTokens.map(endOf).sort());
    expect(new Set(idTokens.map(endOf)).size).toBe(2 * clientKinds.length);
  });

  it('is not sent when the end of the session is rolled back', async () => {
    const { sub = '' } = decodeJwt((await signIn()).id_token);
    const [app] = portal.apps;
    const undone = app?.get(Database).transaction(async () => {
      await app.get(Revocations, { strict: false }).revokeAccount(sub, 'ended-with-account');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await sleep(300);
    expect([receiver.tokens.length, (await queued()).length]).toEqual([0, 0]);
  });

  it.each([
    ['fails', 500],
    ['refuses', 400],
    ['redirects', 302],
  ])('is sent again, as a new token, when the app %s', async (_, status) => {
    receiver.answer = (_request, response) =>
      response.writeHead(status, { location: receiver.addressOf('heart') }).end();
    const { browser } = await signIn();
    await browser.signOut();
    await until(async () => (await queued())[0]?.attempts === 1 && receiver.tokens.length === 1);
    await sleep(200);
    expect(receiver.tokens).toHaveLength(1);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    expect(receiver.tokens).toHaveLength(2);
    const [first, second] = receiver.tokens.map(({ token }) => decodeJwt(token));
    expect(second?.sid).toBe(first?.sid);
    expect(second?.jti).not.toBe(first?.jti);
  });

  it('is dropped a day after the session ended', async () => {
    receiver.answer = (_, response) => response.writeHead(503).end();
    const { browser } = await signIn();
    await browser.signOut();
    await until(async () => (await queued())[0]?.putOff === true);
    await portal.query("UPDATE job SET created_at = now() - interval '25 hours'");
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    expect(receiver.tokens).toHaveLength(1);
  });

  const queue = (count: number) =>
    portal.query(
      `INSERT INTO job (kind, payload)
       SELECT 'backchannel-logout',
              jsonb_build_object('clientId', $1::text, 'accountId', 'user', 'sid', 'session-' || number)
         FROM generate_series(1, $2::int) AS number`,
      [publicApp.clientId, count],
    );

  it('is sent once by several nodes', async () => {
    portal = await start({ nodes: 2 });
    await queue(50);
    await tryAgainNow();
    await until(async () => (await queued()).length === 0);
    await sleep(200);
    expect(new Set(receiver.tokens.map(({ token }) => decodeJwt(token).sid)).size).toBe(50);
    expect(receiver.tokens).toHaveLength(50);
  });

  it('is sent by one node each when all look for work at the same moment', async () => {
    portal = await start({ nodes: 2 });
    await queue(200);
    const tables = portal.apps.map((app) => new JobTable(app.get(Database, { strict: false })));
    const taken = await Promise.all([...tables, ...tables, ...tables].map((one) => one.claim(logoutJobs)));
    const ids = taken.flat().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(40);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('M-07 is not sent into the own network unless that is allowed', async () => {
    portal = await start({ allowedPrivateHosts: [] });
    const { browser } = await signIn();
    await browser.signOut();
    await until(async () => (await queued())[0]?.attempts === 1);
    await sleep(300);
    expect(receiver.tokens).toHaveLength(0);
  });

  it('oidcc-backchannel-logout-discovery-endpoint-verification is advertised in the discovery document', async () => {
    const discovery = await new Agent(portal.issuer).get('/.well-known/openid-configuration');
    expect(discovery.json()).toMatchObject({
      end_session_endpoint: `${portal.issuer}/connect/endsession`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    expect(discovery.json()).not.toHaveProperty('frontchannel_logout_supported');
    expect(discovery.json()).not.toHaveProperty('check_session_iframe');
  });
});
