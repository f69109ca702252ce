import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, confidentialApp, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startMetadataServer } from '../../support/portal/admin-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { eventually, until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const jwtApp = { ...publicApp, clientId: 'jwt-app', requireConsent: false, accessTokenType: 'Jwt' };
const referenceApp = { ...jwtApp, clientId: 'reference-app', accessTokenType: 'Reference' };
const both = [jwtApp, referenceApp];
const brief = both.map((app) => ({ ...app, clientId: `brief-${app.clientId}`, accessTokenLifetime: '00:00:02' }));
const appsOfKinds = clientKinds.flatMap((kind) =>
  ['Jwt', 'Reference'].map((accessTokenType) => kind.client(accessTokenType, { accessTokenType })),
);
/** A user for each kind, whom the test deletes. */
const leaverOf = ({ name }: ClientKind) => ({
  ...people.otherPatient,
  email: `leaves-${name.toLowerCase().replace(/\W+/g, '-')}@example.org`,
});
const resourceServer = { ...backendService, clientId: 'resource-server', allowIntrospection: true };
const referenceService = { ...backendService, clientId: 'reference-service', accessTokenType: 'Reference' };
const scope = 'openid fhirUser launch/patient patient/*.rs offline_access';
const inactive = '{"active":false}';

let portal: TestPortal;
let fhirServer: Server;

beforeAll(async () => {
  fhirServer = await startMetadataServer();
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: `http://127.0.0.1:${(fhirServer.address() as AddressInfo).port}` },
      users: [...Object.values(people), ...clientKinds.map(leaverOf)],
      clients: [...both, ...brief, ...appsOfKinds, confidentialApp, resourceServer, backendService, referenceService],
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

const post = (path: string, form: Record<string, string>, headers: Record<string, string>, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).postForm(path, form, { headers });

const asServer = () => basicAuthorization(resourceServer.clientId, sharedSecret);
const asBearer = (token: string) => ({ authorization: `Bearer ${token}` });
const introspect = (token: string, headers: Record<string, string> = asServer(), node = 0) =>
  post('/connect/introspect', { token }, headers, node);
const userinfo = (token: string, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).get('/connect/userinfo', { headers: asBearer(token) });

const atGateway = (token: string, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).get('/fhir/Patient/1', { headers: asBearer(token) });

async function serviceToken(client: { clientId: string }): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  return (await post('/connect/token', form, basicAuthorization(client.clientId, sharedSecret))).json<Tokens>()
    .access_token;
}

const tokensOf = (client: { clientId: string }, browser?: Agent) =>
  new SmartApp(portal, { client, scope }, browser).tokens(people.patient);

function expectInactive(answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([200, inactive]);
}

/** On every node, within a second. */
const expectDead = (token: string) =>
  eventually(async () => {
    for (const node of [0, 1]) {
      expectInactive(await introspect(token, asServer(), node));
      expect((await userinfo(token, node)).status).toBe(401);
      expect((await atGateway(token, node)).status).toBe(401);
    }
  });

describe.each(both)('An access token of $clientId', (client) => {
  it('SMART introspection-active §8 is introspected with the values of its token response and id_token', async () => {
    const tokens = await tokensOf(client);
    const answer = await introspect(tokens.access_token);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    const id = decodeJwt(tokens.id_token ?? '');
    const told = answer.json<Record<string, unknown>>();
    expect(told).toMatchObject({
      active: true,
      client_id: client.clientId,
      scope: tokens.scope,
      token_type: 'Bearer',
      iss: id.iss,
      sub: id.sub,
      fhirUser: id.fhirUser,
      aud: portal.fhirBase,
      patient: '1',
      need_patient_banner: true,
      smart_style_url: tokens.smart_style_url,
    });
    const left = Number(told.exp) - Math.floor(Date.now() / 1000);
    expect(Math.abs(left - tokens.expires_in)).toBeLessThanOrEqual(2);
  });

  it('SMART introspection-bearer §8 is introspected for its holder by a bearer token, and so is its refresh token', async () => {
    const { access_token, refresh_token } = await tokensOf(client);
    expect((await introspect(access_token, asBearer(access_token))).json()).toMatchObject({
      active: true,
      patient: '1',
    });
    expect((await introspect(refresh_token ?? '', asBearer(access_token))).json()).toMatchObject({ active: true });
    const another = await tokensOf(client);
    expectInactive(await introspect(another.access_token, asBearer(access_token)));
  });

  it('returns the claims of its user at userinfo, by GET and by POST', async () => {
    const { access_token, id_token } = await tokensOf(client);
    const { sub, fhirUser } = decodeJwt(id_token ?? '');
    const answer = await userinfo(access_token);
    expect([answer.status, answer.json()]).toEqual([200, { sub, fhirUser }]);
    expect(answer.headers['cache-control']).toContain('no-store');
    const posted = await post('/connect/userinfo', {}, asBearer(access_token), 1);
    expect(posted.json()).toEqual({ sub, fhirUser });
  });

  it('is inactive on both nodes after its revocation, with all tokens of its grant', async () => {
    const { access_token, refresh_token } = await tokensOf(client);
    const revoked = await post('/connect/revocation', { token: access_token, client_id: client.clientId }, {});
    expect([revoked.status, revoked.text]).toEqual([200, '']);
    await expectDead(access_token);
    expectInactive(await introspect(refresh_token ?? '', asServer()));
    const refreshed = await new SmartApp(portal, { client }).refresh(refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  });

  it('is inactive two seconds after its revocation also on a node that receives no notifications', async () => {
    const { access_token: token } = await tokensOf(client);
    // Cached by the node that receives no notifications.
    expect((await userinfo(token, 1)).status).toBe(200);
    const listeners = await portal.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse notifications'
          AND datname = current_database() ORDER BY backend_start`,
    );
    const pid = listeners[1]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const revoked = await post('/connect/revocation', { token, client_id: client.clientId }, {});
      expect(revoked.status).toBe(200);
      await sleep(2_000);
      expect((await userinfo(token, 1)).status).toBe(401);
      expect((await atGateway(token, 1)).status).toBe(401);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('B-20 cannot be revoked by another client, which does not learn whether it exists', async () => {
    const { access_token, refresh_token } = await tokensOf(client);
    for (const token of [access_token, refresh_token ?? '', 'unknown', '', 'a.b.c']) {
      const answer = await post(
        '/connect/revocation',
        { token },
        basicAuthorization(confidentialApp.clientId, sharedSecret),
      );
      expect(token === '' ? 400 : 200).toBe(answer.status);
    }
    expect((await introspect(access_token)).json()).toMatchObject({ active: true });
    const unauthenticated = await post(
      '/connect/revocation',
      { token: access_token },
      basicAuthorization(client.clientId, 'wrong'),
    );
    expect(unauthenticated.status).toBe(401);
    expect((await introspect(access_token)).json()).toMatchObject({ active: true });
  });

  it('B-21 is introspected for its client and for resource servers only', async () => {
    const { access_token } = await tokensOf(client);
    expectInactive(await introspect(access_token, basicAuthorization(confidentialApp.clientId, sharedSecret)));
    expectInactive(await introspect(access_token, asBearer(await serviceToken(backendService))));
    expect((await introspect(access_token, asBearer(await serviceToken(resourceServer)))).json()).toMatchObject({
      active: true,
      client_id: client.clientId,
    });
  });

  it('SMART introspection-expired is inactive after its expiry', async () => {
    const asked = Date.now();
    const { access_token } = await tokensOf({ clientId: `brief-${client.clientId}` });
    await until(async () => (await userinfo(access_token)).status === 401);
    // The lifetime is two seconds, and the first one had begun.
    expect(Date.now() - asked).toBeGreaterThan(1_000);
    expectInactive(await introspect(access_token));
  });

  it('SMART revocation-access SMART revocation-refresh P-01 P-02 is inactive on both nodes after the user revokes the app, and so is its refresh token', async () => {
    const browser = new Agent(portal.issuer);
    const { access_token, refresh_token } = await tokensOf(client, browser);
    expect((await atGateway(access_token)).status).not.toBe(401);
    const listed = (await browser.get('/api/grant')).json<{ clientsPermissions: { clientId: string }[] }>();
    expect(listed.clientsPermissions.map(({ clientId }) => clientId)).toContain(client.clientId);
    const revoked = await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect(revoked.status).toBe(204);
    await expectDead(access_token);
    const refreshed = await new SmartApp(portal, { client }).refresh(refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
    const rows = await portal.query('SELECT FROM oidc_record WHERE client_id = $1 AND account_id IS NOT NULL', [
      client.clientId,
    ]);
    expect(rows).toHaveLength(0);
    expect((await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' })).status).toBe(404);
  });
});

describe.each(clientKinds)('The tokens of an app ($name)', (kind) => {
  const apps = ['Jwt', 'Reference'].map((accessTokenType) => kind.client(accessTokenType, { accessTokenType }));
  let browser: Agent;

  beforeAll(async () => {
    browser = new Agent(portal.issuer);
    await new SmartApp(portal, {}, browser).signIn(people.patient);
  });

  const tokensFor = async (client: { clientId: string }) => {
    const app = kind.app(portal, client, { scope }, browser);
    return { app, ...(await app.tokens(people.patient)) };
  };
  const expectInactiveEverywhere = (token: string) =>
    eventually(async () => {
      for (const node of [0, 1]) {
        const agent = new Agent(portal.issuer, portal.ports[node]);
        expectInactive(await introspect(token, asServer(), node));
        expect((await kind.userinfo(agent, token)).status).toBe(401);
        expect((await kind.read(agent, '/fhir/Patient/1', token)).status).toBe(401);
      }
    });
  const expectAllDead = async ({ app, access_token, refresh_token = '' }: Tokens & { app: SmartApp }) => {
    await expectInactiveEverywhere(access_token);
    const refreshed = await app.refresh(refresh_token);
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  };

  it.each(apps)('P-01 P-02 are inactive on both nodes after the user revokes it ($accessTokenType)', async (client) => {
    const tokens = await tokensFor(client);
    expect((await kind.read(browser, '/fhir/Patient/1', tokens.access_token)).status).not.toBe(401);
    const path = `/api/grant?clientId=${client.clientId}`;
    expect((await browser.send(path, { method: 'DELETE' })).status).toBe(204);
    await expectAllDead(tokens);
    expect(await portal.query('SELECT FROM oidc_record WHERE client_id = $1', [client.clientId])).toEqual([]);
  });

  it.each(apps)(
    'P-01 P-02 are inactive after the revocation on nodes that have used them before, and at once where it was asked for ($accessTokenType)',
    async (client) => {
      const tokens = await tokensFor(client);
      for (const node of [0, 1]) {
        const agent = new Agent(portal.issuer, portal.ports[node]);
        for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
          expect((await introspect(token, asServer(), node)).json()).toMatchObject({ active: true });
        }
        expect((await kind.userinfo(agent, tokens.access_token)).status).toBe(200);
        expect((await kind.read(agent, '/fhir/Patient/1', tokens.access_token)).status).not.toBe(401);
      }
      const path = `/api/grant?clientId=${client.clientId}`;
      expect((await browser.send(path, { method: 'DELETE' })).status).toBe(204);
      for (const token of [tokens.access_token, tokens.refresh_token ?? '']) expectInactive(await introspect(token));
      expect((await kind.read(browser, '/fhir/Patient/1', tokens.access_token)).status).toBe(401);
      await expectAllDead(tokens);
    },
  );

  it.each(apps)('B-20 are revoked by the app itself, and by no other ($accessTokenType)', async (client) => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await tokensFor(client);
      const form = { token: tokens[name] ?? '' };
      const other = await post('/connect/revocation', form, basicAuthorization(confidentialApp.clientId, sharedSecret));
      expect([other.status, (await introspect(form.token)).json().active]).toEqual([200, true]);
      expect((await kind.post(browser, '/connect/revocation', client, form)).status).toBe(200);
      await expectAllDead(tokens);
    }
  });

  it.each(apps)('B-21 are introspected for the app if it can authenticate ($accessTokenType)', async (client) => {
    const { access_token: token } = await tokensFor(client);
    const answer = await kind.post(browser, '/connect/introspect', client, { token });
    if (kind.isPublic) expect([answer.status, answer.json().error]).toEqual([401, 'invalid_client']);
    else expect(answer.json()).toMatchObject({ active: true, client_id: client.clientId, token_type: kind.tokenType });
  });

  it.each(apps)('P-04 are not issued for a code from before the revocation ($accessTokenType)', async (client) => {
    const app = kind.app(portal, client, { scope }, browser);
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' })).status).toBe(204);
    const answer = await app.exchange(code);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
  });

  it.each(apps)(
    'P-08 are revoked for good when an administrator disables the app ($accessTokenType)',
    async (client) => {
      const tokens = await tokensFor(client);
      const admin = await administrator();
      const found = await admin.get(`/api/admin/client?searchTerm=${client.clientId}&page=1&pageSize=10`);
      const [{ id } = { id: '' }] = found
        .json<{ clients: { id: string; clientId: string }[] }>()
        .clients.filter(({ clientId }) => clientId === client.clientId);
      for (const enabled of [false, true]) {
        const stored = (await admin.get(`/api/admin/client/${id}`)).json();
        const saved = await admin.send(`/api/admin/client/${id}`, { method: 'PUT', body: { ...stored, enabled } });
        expect([saved.status, saved.status < 300 ? '' : saved.text]).toEqual([saved.status, '']);
        if (enabled) {
          await expectAllDead(tokens);
          continue;
        }
        await expectInactiveEverywhere(tokens.access_token);
        await eventually(async () => expect((await tokens.app.refresh(tokens.refresh_token ?? '')).status).toBe(401));
      }
    },
  );

  it('P-07 are revoked when an administrator deletes the user, and so are the sessions', async () => {
    const leaver = leaverOf(kind);
    const signedIn = new SmartApp(portal);
    await signedIn.signIn(leaver);
    const all: (Tokens & { app: SmartApp })[] = [];
    for (const client of apps) {
      const app = kind.app(portal, client, { scope }, signedIn.browser);
      all.push({ app, ...(await app.tokens(leaver)) });
    }
    const [account] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [leaver.email]);
    const admin = await administrator();
    expect((await admin.send(`/api/admin/user/${account?.id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    for (const tokens of all) await expectAllDead(tokens);
    expect((await signedIn.browser.get('/api/session')).status).toBe(401);
  });
});

describe('An access token without a user', () => {
  it.each([backendService, referenceService])('§8 is introspected without a sub ($clientId)', async (client) => {
    const token = await serviceToken(client);
    const told = (await introspect(token, basicAuthorization(client.clientId, sharedSecret))).json();
    expect(told).toMatchObject({
      active: true,
      client_id: client.clientId,
      scope: 'system/*.rs',
      aud: portal.fhirBase,
    });
    expect(told).not.toHaveProperty('patient');
    expect((await userinfo(token)).status).toBe(401);
    expect((await introspect(token, asServer(), 1)).json()).toMatchObject({ active: true });
    for (const node of [0, 1]) expect((await atGateway(token, node)).status).not.toBe(401);
    await post('/connect/revocation', { token }, basicAuthorization(client.clientId, sharedSecret));
    expectInactive(await introspect(token));
    await expectDead(token);
  });
});

describe('Introspection', () => {
  it('SMART introspection-unknown returns only active=false for an unknown token', async () => {
    for (const token of [
      'invalid_token_value',
      'a.b.c',
      'eyJhbGciOiJub25lIn0.e30.',
      '~a.b.c',
      'x'.repeat(20_000),
      '🙂',
    ]) {
      expectInactive(await introspect(token));
    }
  });

  it('SMART introspection-unauthorized B-21 is refused to unauthenticated callers', async () => {
    const { access_token } = await tokensOf(jwtApp);
    for (const headers of [
      {},
      basicAuthorization(resourceServer.clientId, 'wrong'),
      basicAuthorization('unknown', sharedSecret),
      asBearer('made-up'),
      asBearer('a.b.c'),
    ] as Record<string, string>[]) {
      const answer = await introspect(access_token, headers);
      expect([400, 401]).toContain(answer.status);
      expect(answer.json()).not.toHaveProperty('active');
    }
    const named = await post('/connect/introspect', { token: access_token, client_id: jwtApp.clientId }, {});
    expect([named.status, named.json().error]).toEqual([401, 'invalid_client']);
    expect((await introspect(access_token, asBearer('made-up'))).headers['www-authenticate']).toContain(
      'invalid_token',
    );
  });

  it('does not accept a bearer token for another client’s token', async () => {
    const { access_token } = await tokensOf(jwtApp);
    const answer = await post(
      '/connect/introspect',
      { token: access_token, client_id: resourceServer.clientId },
      asBearer(await serviceToken(backendService)),
    );
    expectInactive(answer);
  });
});

let signedInAdmin: Agent | undefined;

/** A signed-in administrator; the portal has reached the FHIR server. */
async function administrator(): Promise<Agent> {
  signedInAdmin ??= await newAdministrator();
  return signedInAdmin;
}

async function newAdministrator(): Promise<Agent> {
  const browser = new Agent(portal.issuer);
  const { email: username, password } = people.admin;
  await browser.post('/api/session/login', { username, password });
  const isUp = async () =>
    (await browser.get('/api/admin/dashboard/firely-server-status')).json().isFirelyServerAvailable === true;
  while (!(await isUp())) await sleep(50);
  return browser;
}
