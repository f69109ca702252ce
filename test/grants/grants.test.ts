import pg from 'pg';
import { returnUrlOf, type SmartApp } from '../support/apps/smart-app.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import type { TestConnection } from '../support/database/database.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { itInTurn } from '../support/runs.js';
import { people } from '../support/users/people.js';

const askingApps = clientKinds.map((kind) => kind.client('asking', { requireConsent: true }));
const briefApps = clientKinds.map((kind) => kind.client('brief', { requireConsent: true, consentLifetime: '150' }));

interface Card {
  clientId: string;
  created: string;
  expires: string;
  lastUsed: string;
  worksUntil: string | null;
}

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    nodes: 2,
    reachDatabase: inAmsterdam,
    config: { users: Object.values(people), clients: [...askingApps, ...briefApps] },
  });
});

afterAll(() => portal.close());

/** A database whose time zone is not UTC. */
async function inAmsterdam(connection: TestConnection): Promise<TestConnection> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`ALTER DATABASE ${connection.database} SET TimeZone = 'Europe/Amsterdam'`);
  await client.end();
  return connection;
}

const cardsOf = async (browser: Agent) =>
  (await browser.get('/api/grant')).json<{ clientsPermissions: Card[] }>().clientsPermissions;

const revoke = (browser: Agent, clientId: string, port?: number) => {
  const elsewhere = new Agent(portal.issuer, port);
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
  return elsewhere.send(`/api/grant?clientId=${clientId}`, { method: 'DELETE' });
};

describe.each(clientKinds)('Revoking an app ($name)', (kind) => {
  const inTurn = itInTurn(kind.number, 2);
  const client = kind.client('asking');
  const appOf = (browser?: Agent) => kind.app(portal, client, {}, browser);

  /** An app that has consent, with another request at the consent page of the same browser. */
  async function askedAgain(): Promise<{ app: SmartApp; returnUrl: string }> {
    const browser = new Agent(portal.issuer);
    await appOf(browser).tokens(people.patient);
    const app = appOf(browser);
    return { app, returnUrl: returnUrlOf(await app.authorize()) };
  }

  inTurn('P-04 while the consent page is open ends that request, too', async () => {
    const { app, returnUrl } = await askedAgain();
    const scopes = await app.offeredScopes(returnUrl);
    expect((await revoke(app.browser, client.clientId, portal.ports[1])).status).toBe(204);
    expect((await app.consent(returnUrl, scopes)).status).toBe(400);
    const landed = new URL(await app.follow(returnUrl));
    expect(landed.searchParams.get('code')).toBeNull();
    const left = "SELECT FROM oidc_record WHERE model IN ('Grant', 'AuthorizationCode') AND client_id = $1";
    expect(await portal.query(left, [client.clientId])).toHaveLength(0);
  });

  inTurn('P-04 between the answer on the consent page and the code prevents the code', async () => {
    const { app, returnUrl } = await askedAgain();
    expect((await app.consent(returnUrl, await app.offeredScopes(returnUrl))).status).toBeLessThan(300);
    expect((await revoke(app.browser, client.clientId, portal.ports[1])).status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    expect(landed.searchParams.get('code')).toBeNull();
  });

  inTurn('P-04 between the code and the tokens prevents the tokens', async () => {
    const app = appOf();
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await revoke(app.browser, client.clientId, portal.ports[1])).status).toBe(204);
    const answer = await app.exchange(code);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
  });

  inTurn('P-04 does not end the requests of other users', async () => {
    const { app: other, returnUrl } = await askedAgain();
    const app = appOf();
    await app.tokens(people.otherPatient);
    expect((await revoke(app.browser, client.clientId)).status).toBe(204);
    expect((await other.consent(returnUrl, await other.offeredScopes(returnUrl))).status).toBeLessThan(300);
  });
});

describe.each(clientKinds)('The list of a user’s apps ($name)', (kind) => {
  const inTurn = itInTurn(kind.number);
  const askingApp = kind.client('asking');
  const briefApp = kind.client('brief');

  beforeEach(() => portal.query('DELETE FROM oidc_record'));

  inTurn('has the time when the app last got or refreshed its tokens', async () => {
    const app = kind.app(portal, briefApp);
    const { refresh_token: token = '' } = await app.tokens(people.otherPatient);
    await portal.query("UPDATE oidc_record SET created_at = now() - interval '3 days' WHERE client_id = $1", [
      briefApp.clientId,
    ]);
    const lastUsed = async () => {
      const card = (await cardsOf(app.browser)).find(({ clientId }) => clientId === briefApp.clientId);
      return [card?.created, card?.lastUsed].map((at) => Math.round((Date.now() - Date.parse(at ?? '')) / 86_400_000));
    };
    expect(await lastUsed()).toEqual([3, 3]);
    expect((await app.refresh(token)).status).toBe(200);
    expect(await lastUsed()).toEqual([3, 0]);
    expect((await cardsOf(app.browser)).map(({ worksUntil }) => worksUntil)).toEqual([null]);
  });

  it('P-09 contains no data of other users', async () => {
    const patient = kind.app(portal, askingApp);
    await patient.tokens(people.patient);
    const other = kind.app(portal, briefApp);
    await other.tokens(people.otherPatient);
    expect((await cardsOf(patient.browser)).map(({ clientId }) => clientId)).toEqual([askingApp.clientId]);
    expect((await cardsOf(other.browser)).map(({ clientId }) => clientId)).toEqual([briefApp.clientId]);
    const receipts = () => portal.query('SELECT FROM receipt');
    const before = await receipts();
    await revoke(other.browser, askingApp.clientId);
    expect(await cardsOf(patient.browser)).toHaveLength(1);
    expect(await receipts()).toEqual(before);
    expect((await new Agent(portal.issuer).get('/api/grant')).status).toBe(401);
  });

  inTurn('P-09 has the right times in a time zone whose clocks were changed in between', async () => {
    const app = kind.app(portal, briefApp);
    await app.tokens(people.patient);
    // In winter at the beginning and in summer at the end, at any date of the test.
    await portal.query(
      `UPDATE oidc_record SET created_at = '2031-01-15T12:00:00Z',
         expires_at = timestamptz '2031-01-15T12:00:00Z' + make_interval(secs => 150 * 86400)
        WHERE model = 'Grant' AND client_id = $1 AND account_id = (SELECT id::text FROM account WHERE email = $2)`,
      [briefApp.clientId, people.patient.email],
    );
    const card = (await cardsOf(app.browser)).find(({ clientId }) => clientId === briefApp.clientId);
    expect(card).toMatchObject({ created: '2031-01-15T12:00:00.000Z', expires: '2031-06-14T12:00:00.000Z' });
  });
});
