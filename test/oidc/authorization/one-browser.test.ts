import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { redirectUri } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong, itInTurn, inTurn as oneOf } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const names = ['first', 'second'];
const lasting = { 'until sign-out': 'online_access', 'beyond sign-out': 'offline_access' } as const;
const scopeWith = (refresh: string) => `openid fhirUser launch/patient patient/*.rs ${refresh}`;
const rounds = isLong ? 100 : 2;

let portal: TestPortal;
let receiver: Server;
let told: { app: string; sid: unknown }[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const token = decodeJwt(new URLSearchParams(body).get('logout_token') ?? '');
    told.push({ app: String(token.aud), sid: token.sid });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const backChannelLogoutUri = `http://localhost:${(receiver.address() as AddressInfo).port}/`;
  const clients = clientKinds.flatMap((kind) =>
    names.map((name) =>
      kind.client(name, { clientName: `${name} ${kind.name}`, allowOnlineAccess: true, backChannelLogoutUri }),
    ),
  );
  portal = await startPortal({
    nodes: 2,
    config: { users: Object.values(people), clients, outbound: { allowedPrivateHosts: ['localhost'] } },
  });
});
beforeEach(() => {
  told = [];
});
afterAll(async () => {
  await portal.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

/** An app in a tab of the browser. */
class Tab {
  readonly app: SmartApp;
  private readonly clientId: string;

  constructor(
    browser: Agent,
    name: string,
    private readonly kind: ClientKind,
    refresh: string,
    scope = scopeWith(refresh),
  ) {
    const client = kind.client(name);
    this.clientId = client.clientId;
    this.app = kind.app(portal, client, { scope }, browser);
  }

  async code(): Promise<string> {
    const landed = await this.app.follow(this.app.authorizationPath);
    const code = new URL(landed).searchParams.get('code');
    if (code === null) throw new Error(`no code but ${landed}`);
    return code;
  }

  async tokens(code: string): Promise<Tokens> {
    const answer = await this.app.exchange(code);
    if (answer.status !== 200) throw new Error(`${this.clientId}: ${answer.status} ${answer.text}`);
    return answer.json<Tokens>();
  }

  async refresh({ refresh_token: token = '' }: Tokens): Promise<number> {
    return (await this.app.refresh(token)).status;
  }

  async giveBack({ refresh_token: token = '' }: Tokens): Promise<number> {
    return (await this.app.revoke(token)).status;
  }

  async isActive({ access_token: token }: Tokens): Promise<boolean> {
    return (await this.kind.userinfo(new Agent(portal.issuer), token)).status === 200;
  }
}

async function signedIn(person = people.patient): Promise<Agent> {
  const browser = new Agent(portal.issuer);
  const { email: username, password } = person;
  const answer = await browser.post('/api/session/login', { username, password });
  expect(answer.status).toBe(200);
  return browser;
}

const leave = (browser: Agent) => browser.signOut();

describe.each(clientKinds)('An app in two tabs ($name)', (kind) => {
  describe.each(oneOf(Object.entries(lasting), kind.number))('with access that lasts %s', (_, refresh) => {
    const inTurn = itInTurn(kind.number);

    inTurn('redeems the codes of two tabs in either order', async () => {
      const browser = await signedIn();
      const [one, two] = [new Tab(browser, 'first', kind, refresh), new Tab(browser, 'first', kind, refresh)];
      const [firstCode, secondCode] = [await one.code(), await two.code()];
      const second = await two.tokens(secondCode);
      const first = await one.tokens(firstCode);
      for (const [tab, tokens] of [[one, first] as const, [two, second] as const]) {
        expect(await tab.isActive(tokens)).toBe(true);
        expect(await tab.refresh(tokens)).toBe(200);
      }
    });

    inTurn(
      'gets its code at the same moment as another app, and both are notified when the user signs out',
      async () => {
        for (let round = 0; round < rounds; round += 1) {
          told = [];
          const browser = await signedIn();
          const tabs = names.map((name) => new Tab(browser, name, kind, refresh));
          const codes = await Promise.all(tabs.map((tab) => tab.code()));
          const tokens = await Promise.all(tabs.map((tab, at) => tab.tokens(codes[at] ?? '')));
          const sids = tokens.map(({ id_token: idToken = '' }) => decodeJwt(idToken).sid);
          await leave(browser);
          await until(() => told.length === 2);
          expect(new Set(told.map(({ sid }) => sid))).toEqual(new Set(sids));
        }
      },
    );

    inTurn(
      'gets the scopes of its own request in each of many tabs that authorize and redeem at the same moment',
      async () => {
        const browser = await signedIn();
        const types = ['Observation', 'Condition', 'Encounter', 'Immunization', 'Procedure', 'Goal'];
        const answers = types.map(async (type) => {
          const scope = `openid fhirUser launch/patient patient/${type}.rs ${refresh}`;
          const scopes: string[][] = [];
          for (let round = 0; round < rounds; round += 1) {
            const tab = new Tab(browser, 'first', kind, refresh, scope);
            scopes.push([scope, (await tab.tokens(await tab.code())).scope]);
          }
          return scopes;
        });
        for (const [asked, granted] of (await Promise.all(answers)).flat()) expect(granted).toBe(asked);
      },
    );

    inTurn('gets one session id in all tabs whose codes were issued at the same moment', async () => {
      const browser = await signedIn();
      const tabs = [1, 2, 3].map(() => new Tab(browser, 'first', kind, refresh));
      const codes = await Promise.all(tabs.map((tab) => tab.code()));
      const tokens = await Promise.all(tabs.map((tab, at) => tab.tokens(codes[at] ?? '')));
      const sids = new Set(tokens.map(({ id_token: idToken = '' }) => decodeJwt(idToken).sid));
      await leave(browser);
      await until(() => told.length > 0);
      expect([...sids]).toEqual(told.map(({ sid }) => sid));
    });
  });

  it('loses the tokens of every tab when the user signs out, unless they may last longer', async () => {
    const browser = await signedIn();
    const tabs = ['online_access', 'offline_access', 'online_access'].map(
      (refresh) => new Tab(browser, 'first', kind, refresh),
    );
    const tokens: Tokens[] = [];
    for (const tab of tabs) tokens.push(await tab.tokens(await tab.code()));
    const unused = await new Tab(browser, 'first', kind, 'online_access').code();
    await leave(browser);
    const active = await Promise.all(tabs.map((tab, at) => tab.isActive(tokens[at] as Tokens)));
    expect(active).toEqual([false, true, false]);
    const refreshed = await Promise.all(tabs.map((tab, at) => tab.refresh(tokens[at] as Tokens)));
    expect(refreshed).toEqual([400, 200, 400]);
    const [tab] = tabs;
    expect((await tab?.app.exchange(unused))?.status).toBe(400);
  });

  it('keeps the tokens of one tab when the other one revokes its own', async () => {
    const browser = await signedIn();
    const tabs = [1, 2].map(() => new Tab(browser, 'first', kind, 'online_access'));
    const tokens: Tokens[] = [];
    for (const tab of tabs) tokens.push(await tab.tokens(await tab.code()));
    expect(await tabs[1]?.giveBack(tokens[1] as Tokens)).toBe(200);
    expect(await tabs[1]?.refresh(tokens[1] as Tokens)).toBe(400);
    expect(await tabs[0]?.refresh(tokens[0] as Tokens)).toBe(200);
  });
});

it('authorization requests of two apps continue at the same moment after one sign-in, and the session stays', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const browser = new Agent(portal.issuer);
    const apps = ['first-public', 'second-public'].map(
      (clientId) => new SmartApp(portal, { client: { clientId }, scope: scopeWith('online_access') }, browser),
    );
    const returnUrls: string[] = [];
    for (const app of apps) returnUrls.push(await app.begin());
    for (const [at, app] of apps.entries()) {
      expect((await app.signIn(people.patient, returnUrls[at])).status).toBe(200);
    }
    const landed = await Promise.all(apps.map((app, at) => app.follow(returnUrls[at] ?? '')));
    for (const [at, app] of apps.entries()) {
      const { origin, searchParams } = new URL(landed[at] ?? '');
      expect([origin, [...searchParams.keys()]]).toEqual([new URL(redirectUri).origin, ['code', 'state', 'iss']]);
      expect((await app.exchange(searchParams.get('code') ?? '')).status).toBe(200);
    }
    expect((await browser.get('/api/session')).status).toBe(200);
  }
});

it('an authorization request that began before two-factor was passed in another tab does not undo it', async () => {
  const browser = new Agent(portal.issuer);
  const app = new SmartApp(portal, { client: { clientId: 'first-public' } }, browser);
  const returnUrl = await app.begin();
  await app.signIn(people.patient, returnUrl);
  await portal.query(
    `UPDATE oidc_record SET payload = payload || '{"amr": ["pwd", "otp", "mfa"]}' WHERE model = 'Session'`,
  );
  expect(await app.follow(returnUrl)).toContain('code=');
  const [row] = await portal.query<{ amr: string[] }>(
    "SELECT payload -> 'amr' AS amr FROM oidc_record WHERE model = 'Session' ORDER BY last_used_at DESC, created_at DESC LIMIT 1",
  );
  expect(row?.amr).toEqual(['pwd', 'otp', 'mfa']);
});
