import { setTimeout as sleep } from 'node:timers/promises';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { confidentialApp, endUndoTime, sharedSecret } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import {
  appsOfFormats,
  appsOfKind,
  asResourceServer,
  expectInactive,
  tokenScope,
  useTokenPortal,
} from '../../support/portal/token-portal.js';
import { inTurn } from '../../support/runs.js';
import { eventually, until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

/** A user for each kind, whom the test deletes. */
const leaverOf = ({ name }: ClientKind) => ({
  ...people.otherPatient,
  email: `leaves-${name.toLowerCase().replace(/\W+/g, '-')}@example.org`,
});
const at = useTokenPortal({ users: clientKinds.map(leaverOf), clients: [confidentialApp] });

describe.each(appsOfFormats)('An access token of $clientId', (client) => {
  it('is inactive on both nodes after its revocation, with all tokens of its grant', async () => {
    const { access_token, refresh_token } = await at.tokensOf(client);
    const revoked = await at.post('/connect/revocation', { token: access_token, client_id: client.clientId }, {});
    expect([revoked.status, revoked.text]).toEqual([200, '']);
    await at.expectRefusedEverywhere(access_token);
    expectInactive(await at.introspect(refresh_token ?? '', asResourceServer()));
    const refreshed = await new SmartApp(at.portal, { client }).refresh(refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  });

  it('is inactive two seconds after its revocation also on a node that receives no notifications', async () => {
    const { access_token: token } = await at.tokensOf(client);
    // Cached by the node that receives no notifications.
    expect((await at.userinfo(token, 1)).status).toBe(200);
    const listeners = await at.portal.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'gatehouse notifications%'
          AND datname = current_database() ORDER BY backend_start`,
    );
    const pid = listeners[1]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const revoked = await at.post('/connect/revocation', { token, client_id: client.clientId }, {});
      expect(revoked.status).toBe(200);
      await sleep(2_000);
      expect((await at.userinfo(token, 1)).status).toBe(401);
      expect((await at.readPatient(token, 1)).status).toBe(401);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('B-20 cannot be revoked by another client, which does not learn whether it exists', async () => {
    const { access_token, refresh_token } = await at.tokensOf(client);
    for (const token of [access_token, refresh_token ?? '', 'unknown', '', 'a.b.c']) {
      const answer = await at.post(
        '/connect/revocation',
        { token },
        basicAuthorization(confidentialApp.clientId, sharedSecret),
      );
      expect(token === '' ? 400 : 200).toBe(answer.status);
    }
    expect((await at.introspect(access_token)).json()).toMatchObject({ active: true });
    const unauthenticated = await at.post(
      '/connect/revocation',
      { token: access_token },
      basicAuthorization(client.clientId, 'wrong'),
    );
    expect(unauthenticated.status).toBe(401);
    expect((await at.introspect(access_token)).json()).toMatchObject({ active: true });
  });

  it('SMART revocation-access SMART revocation-refresh P-01 P-02 is inactive on both nodes after the user revokes the app, and so is its refresh token', async () => {
    const browser = new Agent(at.portal.issuer);
    const { access_token, refresh_token } = await at.tokensOf(client, browser);
    expect((await at.readPatient(access_token)).status).not.toBe(401);
    const listed = (await browser.get('/api/grant')).json<{ clientsPermissions: { clientId: string }[] }>();
    expect(listed.clientsPermissions.map(({ clientId }) => clientId)).toContain(client.clientId);
    const revoked = await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect(revoked.status).toBe(204);
    await at.expectRefusedEverywhere(access_token);
    const refreshed = await new SmartApp(at.portal, { client }).refresh(refresh_token ?? '');
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
    const rows = await at.portal.query('SELECT FROM oidc_record WHERE client_id = $1 AND account_id IS NOT NULL', [
      client.clientId,
    ]);
    expect(rows).toHaveLength(0);
    const again = await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect([again.status, again.location]).toEqual([204, revoked.location]);
  });
});

describe.each(clientKinds)('The tokens of an app ($name)', (kind) => {
  const apps = appsOfKind(kind);
  let browser: Agent;

  beforeAll(async () => {
    browser = new Agent(at.portal.issuer);
    await new SmartApp(at.portal, {}, browser).signIn(people.patient);
  });

  const tokensFor = async (client: { clientId: string }) => {
    const app = kind.app(at.portal, client, { scope: tokenScope }, browser);
    return { app, ...(await app.tokens(people.patient)) };
  };
  const expectInactiveEverywhere = (token: string) =>
    eventually(async () => {
      for (const node of [0, 1]) {
        const agent = new Agent(at.portal.issuer, at.portal.ports[node]);
        expectInactive(await at.introspect(token, asResourceServer(), node));
        expect((await kind.userinfo(agent, token)).status).toBe(401);
        expect((await kind.read(agent, '/fhir/Patient/1', token)).status).toBe(401);
      }
    });
  const expectAllDead = async ({ app, access_token, refresh_token = '' }: Tokens & { app: SmartApp }) => {
    await expectInactiveEverywhere(access_token);
    const refreshed = await app.refresh(refresh_token);
    expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  };

  it.each(inTurn(apps, kind.number))(
    'P-01 P-02 are inactive on both nodes after the user revokes it ($accessTokenType)',
    async (client) => {
      const tokens = await tokensFor(client);
      expect((await kind.read(browser, '/fhir/Patient/1', tokens.access_token)).status).not.toBe(401);
      const path = `/api/grant?clientId=${client.clientId}`;
      expect((await browser.send(path, { method: 'DELETE' })).status).toBe(204);
      await expectAllDead(tokens);
      expect(await at.portal.query('SELECT FROM oidc_record WHERE client_id = $1', [client.clientId])).toEqual([]);
    },
  );

  it.each(inTurn(apps, kind.number + 1))(
    'P-01 P-02 are inactive after the revocation on nodes that have used them before, and at once where it was asked for ($accessTokenType)',
    async (client) => {
      const tokens = await tokensFor(client);
      for (const node of [0, 1]) {
        const agent = new Agent(at.portal.issuer, at.portal.ports[node]);
        for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
          expect((await at.introspect(token, asResourceServer(), node)).json()).toMatchObject({ active: true });
        }
        expect((await kind.userinfo(agent, tokens.access_token)).status).toBe(200);
        expect((await kind.read(agent, '/fhir/Patient/1', tokens.access_token)).status).not.toBe(401);
      }
      const path = `/api/grant?clientId=${client.clientId}`;
      expect((await browser.send(path, { method: 'DELETE' })).status).toBe(204);
      for (const token of [tokens.access_token, tokens.refresh_token ?? '']) expectInactive(await at.introspect(token));
      expect((await kind.read(browser, '/fhir/Patient/1', tokens.access_token)).status).toBe(401);
      await expectAllDead(tokens);
    },
  );

  it.each(inTurn(apps, kind.number))(
    'B-20 are revoked by the app itself, and by no other ($accessTokenType)',
    async (client) => {
      for (const name of ['access_token', 'refresh_token'] as const) {
        const tokens = await tokensFor(client);
        const form = { token: tokens[name] ?? '' };
        const other = await at.post(
          '/connect/revocation',
          form,
          basicAuthorization(confidentialApp.clientId, sharedSecret),
        );
        expect([other.status, (await at.introspect(form.token)).json().active]).toEqual([200, true]);
        expect((await kind.post(browser, '/connect/revocation', client, form)).status).toBe(200);
        await expectAllDead(tokens);
      }
    },
  );

  it.each(inTurn(apps, kind.number + 1))(
    'P-04 are not issued for a code from before the revocation ($accessTokenType)',
    async (client) => {
      const app = kind.app(at.portal, client, { scope: tokenScope }, browser);
      const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
      expect((await browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' })).status).toBe(204);
      const answer = await app.exchange(code);
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    },
  );

  it.each(inTurn(apps, kind.number))(
    'P-08 are refused when an administrator disables the app, and revoked for good once that cannot be undone ($accessTokenType)',
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
        // Until then enabling it would restore them.
        await endUndoTime(at.portal);
        const ofClient = 'SELECT FROM oidc_record WHERE client_id = $1';
        await until(async () => (await at.portal.query(ofClient, [client.clientId])).length === 0);
      }
    },
  );

  it('P-07 are revoked when an administrator deletes the user, and so are the sessions', async () => {
    const leaver = leaverOf(kind);
    const signedIn = new SmartApp(at.portal);
    await signedIn.signIn(leaver);
    const all: (Tokens & { app: SmartApp })[] = [];
    for (const client of apps) {
      const app = kind.app(at.portal, client, { scope: tokenScope }, signedIn.browser);
      all.push({ app, ...(await app.tokens(leaver)) });
    }
    const [account] = await at.portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [leaver.email]);
    const admin = await administrator();
    expect((await admin.send(`/api/admin/user/${account?.id}`, { method: 'DELETE' })).status).toBeLessThan(300);
    for (const tokens of all) await expectAllDead(tokens);
    expect((await signedIn.browser.get('/api/session')).status).toBe(401);
  });
});

let signedInAdmin: Agent | undefined;

/** A signed-in administrator; the at.portal has reached the FHIR server. */
async function administrator(): Promise<Agent> {
  signedInAdmin ??= await newAdministrator();
  return signedInAdmin;
}

async function newAdministrator(): Promise<Agent> {
  const browser = new Agent(at.portal.issuer);
  const { email: username, password } = people.admin;
  await browser.post('/api/session/login', { username, password });
  await untilFhirServerIsAvailable(browser);
  return browser;
}
