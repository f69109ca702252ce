import pg from 'pg';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import { returnUrlOf, type SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { clientKinds, kindsInSlowTests } from '../support/clients/client-kinds.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent } from '../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { asResourceServer, resourceServer } from '../support/portal/token-portal.js';
import { itInTurn, inTurn as oneOf } from '../support/runs.js';
import { eventually, until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const identity = 'openid fhirUser launch/patient';
const data = 'patient/Observation.rs patient/Condition.cruds';

/** With and without the right to last, for each format of access tokens. */
const uses = ['Jwt', 'Reference'].flatMap((accessTokenType) =>
  [true, false].map((isOffline) => ({
    accessTokenType,
    isOffline,
    kind: `${accessTokenType}, ${isOffline ? 'with' : 'without'} offline access`,
    scope: `${identity} ${data}${isOffline ? ' offline_access' : ''}`,
  })),
);
const settingsOf = ({ accessTokenType, isOffline }: (typeof uses)[number], requireConsent: boolean) => {
  return { accessTokenType, requireConsent, allowOfflineAccess: isOffline };
};
const clientOf = (kind: (typeof clientKinds)[number], use: (typeof uses)[number], requireConsent = true) =>
  kind.client(`${use.accessTokenType}${use.isOffline}${requireConsent}`, settingsOf(use, requireConsent));

const resource = ['Observation', 'Condition', 'Patient'].map((type) => {
  return { type, searchParam: [{ name: 'patient', type: 'reference' }] };
});
const metadata = { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server', resource }] };
const aRead = { Observation: '/fhir/Observation/o1', Condition: '/fhir/Condition/c1' };

let portal: TestPortal;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '', method }, response) => {
    const type = /\/(Condition|Observation)/.exec(url)?.[1] ?? 'Condition';
    const found = { resourceType: type, id: type === 'Condition' ? 'c1' : 'o1', subject: { reference: 'Patient/1' } };
    const answer = url.endsWith('/metadata')
      ? metadata
      : url.includes('?')
        ? { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: found }] }
        : found;
    const headers = { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"' };
    response.writeHead(method === 'POST' ? 201 : 200, headers).end(JSON.stringify(answer));
  });
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: upstream.url },
      users: Object.values(people),
      clients: [
        resourceServer,
        ...clientKinds.flatMap((kind) =>
          uses.flatMap((use) => [clientOf(kind, use), clientOf(kind, use, false)].map((client) => ({ ...client }))),
        ),
      ],
      limits: { startsPerMinute: 1_000_000 },
    },
  });
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await untilFhirServerIsAvailable(admin);
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

const takeBack = (browser: Agent, { clientId }: { clientId: string }, scope: string) =>
  browser.send(`/api/grant/permission?${new URLSearchParams({ clientId, scope })}`, { method: 'DELETE' });
const scopesOf = async (browser: Agent, { clientId }: { clientId: string }) =>
  (await browser.get('/api/grant'))
    .json<GrantList & Record<string, unknown>>()
    .clientsPermissions.find((one) => one.clientId === clientId)
    ?.apiGrantData.map(({ scope }) => scope);
const introspect = async (token: string, node = 0) =>
  (
    await new Agent(portal.issuer, portal.ports[node]).postForm(
      '/connect/introspect',
      { token },
      { headers: asResourceServer() },
    )
  ).json<{ active: boolean; scope: string }>();
const lost = /Condition/;

describe.each(clientKinds)('A permission that the user takes back from an app ($name)', (kind) => {
  describe.each(oneOf(uses, kind.number))('with tokens of the kind $kind', (use) => {
    const inTurn = itInTurn(kind.number);
    const client = clientOf(kind, use);
    const appOf = (browser?: Agent) => kind.app(portal, client, { scope: use.scope }, browser);
    const read = async (browser: Agent, type: keyof typeof aRead, token: string) =>
      (await kind.read(browser, aRead[type], token)).status;

    it('is gone at once, for issued tokens, the next ones and the list, and everything else stays', async () => {
      const app = appOf();
      const { access_token, refresh_token } = await app.tokens(people.patient);
      expect(await read(app.browser, 'Condition', access_token)).toBe(200);
      expect((await takeBack(app.browser, client, 'user/Condition.cruds')).status).toBe(204);
      expect(await read(app.browser, 'Condition', access_token)).toBe(403);
      expect(await read(app.browser, 'Observation', access_token)).toBe(200);
      for (const node of [0, 1]) {
        await eventually(async () => {
          const { active, scope } = await introspect(access_token, node);
          expect([active, scope]).toEqual([true, expect.stringContaining('patient/Observation.rs')]);
          expect(scope).not.toMatch(lost);
        });
      }
      expect(await scopesOf(app.browser, client)).toEqual(expect.not.arrayContaining([expect.stringMatching(lost)]));
      if (refresh_token === undefined) return expect(use.isOffline).toBe(false);
      expect((await introspect(refresh_token)).scope).not.toMatch(lost);
      const { scope, access_token: next, refresh_token: last = '' } = (await app.refresh(refresh_token)).json<Tokens>();
      expect(scope).toContain('patient/Observation.rs');
      expect(scope).not.toMatch(lost);
      expect([await read(app.browser, 'Condition', next), await read(app.browser, 'Observation', next)]).toEqual([
        403, 200,
      ]);
      const again = (await app.refresh(last, { scope: use.scope })).json<Tokens>();
      expect(again.scope).toBe(scope);
    });

    inTurn('can be the right to change alone, and what was seen can still be seen', async () => {
      const app = appOf();
      const { access_token, refresh_token } = await app.tokens(people.patient);
      expect((await takeBack(app.browser, client, 'user/Condition.cud')).status).toBe(204);
      expect(await read(app.browser, 'Condition', access_token)).toBe(200);
      const deleted = await kind.read(app.browser, aRead.Condition, access_token, { method: 'DELETE' });
      expect(deleted.status).toBe(403);
      expect(await scopesOf(app.browser, client)).toContain('patient/Condition.rs');
      expect((await introspect(access_token)).scope).toContain('patient/Condition.rs');
      if (refresh_token === undefined) return expect(use.isOffline).toBe(false);
      expect((await app.refresh(refresh_token)).json<Tokens>().scope.split(' ')).toContain('patient/Condition.rs');
    });

    inTurn(
      'is asked for again, and not ticked, when the app next requests it, though the decision was remembered',
      async () => {
        const app = appOf();
        await remembered(app);
        expect((await takeBack(app.browser, client, 'user/Condition.cruds')).status).toBe(204);

        const modest = kind.app(portal, client, { scope: `${identity} patient/Observation.rs` }, app.browser);
        const { scope } = await modest.tokens(people.patient);
        expect(scope).not.toMatch(lost);
        const asking = appOf(app.browser);
        const asked = returnUrlOf(await asking.authorize());
        const page = (await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(asked)}`)).json<{
          leftOutBefore: string[];
        }>();
        expect(page.leftOutBefore).toEqual(['patient/Condition.cruds']);
      },
    );
  });
});

describe.each(kindsInSlowTests)('A permission that is taken back ($name)', (kind) => {
  const [use] = uses.filter(({ isOffline }) => isOffline) as [(typeof uses)[number]];
  const client = clientOf(kind, use);
  const appOf = (browser?: Agent, scope = use.scope) => kind.app(portal, client, { scope }, browser);
  const taken = 'user/Condition.cruds';

  it('between a code and its exchange is not in the tokens', async () => {
    const app = appOf();
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    expect((await takeBack(app.browser, client, taken)).status).toBe(204);
    const { scope, refresh_token = '' } = (await app.exchange(code)).json<Tokens>();
    expect(scope).toContain('patient/Observation.rs');
    expect(scope).not.toMatch(lost);
    expect((await app.refresh(refresh_token)).json<Tokens>().scope).toBe(scope);
  });

  it('is left out when the answer to a refresh is repeated, and the repetition ends nothing', async () => {
    const app = appOf();
    const { refresh_token = '' } = await app.tokens(people.patient);
    const first = (await app.refresh(refresh_token)).json<Tokens>();
    expect(first.scope).toMatch(lost);
    expect((await takeBack(app.browser, client, taken)).status).toBe(204);
    const { scope, ...again } = (await app.refresh(refresh_token)).json<Tokens>();
    expect(again).toEqual({ ...first, scope: undefined });
    expect(scope).toContain('patient/Observation.rs');
    expect(scope).not.toMatch(lost);
    expect((await app.refresh(first.refresh_token ?? '')).json<Tokens>().scope).toBe(scope);
  });

  it('from a scope for everything leaves all other kinds', async () => {
    const app = appOf(undefined, `${identity} patient/*.rs offline_access`);
    const { access_token, refresh_token = '' } = await app.tokens(people.patient);
    expect((await takeBack(app.browser, client, taken)).status).toBe(204);
    const statuses = [aRead.Condition, aRead.Observation].map(async (path) => {
      return (await kind.read(app.browser, path, access_token)).status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 200]);
    const { scope } = (await app.refresh(refresh_token)).json<Tokens>();
    expect(scope.split(' ').filter((text) => text.startsWith('patient/'))).toEqual([
      'patient/Patient.rs',
      'patient/Observation.rs',
    ]);
  });

  it('from an app that needs no consent is asked for when the app requests it, and given with a new consent', async () => {
    const unasked = clientOf(kind, use, false);
    const unaskedApp = (browser?: Agent, scope = use.scope) => kind.app(portal, unasked, { scope }, browser);
    const { browser } = unaskedApp();
    await unaskedApp(browser).tokens(people.patient);
    expect((await takeBack(browser, unasked, taken)).status).toBe(204);
    const modest = await unaskedApp(browser, `${identity} patient/Observation.rs`).complete(people.patient);
    expect(modest.searchParams.get('code')).not.toBeNull();

    for (const granted of [false, true]) {
      const app = unaskedApp(browser);
      const returnUrl = returnUrlOf(await app.authorize());
      const offered = await app.offeredScopes(returnUrl);
      await app.consent(returnUrl, granted ? offered : offered.filter((text) => !lost.test(text)));
      const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
      const { scope } = (await app.exchange(code)).json<Tokens>();
      expect(lost.test(scope)).toBe(granted);
    }
    const last = await unaskedApp(browser).complete(people.patient);
    expect(last.searchParams.get('code')).not.toBeNull();
  });

  it('by leaving it out of a later consent is gone for the access tokens from before', async () => {
    const app = appOf();
    const { access_token } = await app.tokens(people.patient);
    const parameters = { prompt: 'consent' };
    const again = kind.app(portal, client, { scope: use.scope, parameters }, app.browser);
    const returnUrl = returnUrlOf(await again.authorize());
    const offered = await again.offeredScopes(returnUrl);
    const kept = offered.filter((text) => !lost.test(text));
    expect((await again.consent(returnUrl, kept)).status).toBe(204);
    const statuses = [aRead.Condition, aRead.Observation].map(async (path) => {
      return (await kind.read(app.browser, path, access_token)).status;
    });
    expect(await Promise.all(statuses)).toEqual([403, 200]);
  });

  const ways = [
    { way: 'A permission', send: (browser: Agent) => takeBack(browser, client, taken) },
    {
      way: 'All access',
      send: (browser: Agent) => browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' }),
    },
  ];
  it.each(ways)(
    '$way that is taken back while a request is answered by a remembered decision is not granted',
    async ({ send }) => {
      const { browser } = appOf();
      await remembered(appOf(browser));
      const app = appOf(browser);
      const [location] = await whileHeld("model = 'Session'", [
        async () => (await app.authorize()).location ?? '',
        async () => expect((await send(browser)).status).toBe(204),
      ]);
      const code = new URL(location as string).searchParams.get('code');
      const { scope = '' } = code === null ? {} : (await app.exchange(code)).json<Partial<Tokens>>();
      expect(scope).not.toMatch(lost);
      const grants = await portal.query<{ scope: string }>(
        "SELECT payload -> 'openid' ->> 'scope' AS scope FROM oidc_record WHERE model = 'Grant' AND client_id = $1",
        [client.clientId],
      );
      expect(grants.filter((one) => lost.test(one.scope))).toEqual([]);
    },
  );

  it.each([0, 1])('during a refresh is not in the tokens that follow (%p)', async (first) => {
    const app = appOf();
    const { refresh_token = '' } = await app.tokens(people.patient);
    const calls = [
      async () => (await app.refresh(refresh_token)).json<Tokens>(),
      async () => expect((await takeBack(app.browser, client, taken)).status).toBe(204),
    ];
    const results = await whileHeld("model = 'Grant'", first === 0 ? calls : calls.toReversed());
    const { access_token, refresh_token: next = '' } = results[first] as Tokens;
    expect((await kind.read(app.browser, aRead.Condition, access_token)).status).toBe(403);
    const { scope } = (await app.refresh(next)).json<Tokens>();
    expect(scope).toContain('patient/Observation.rs');
    expect(scope).not.toMatch(lost);
  });
});

describe('Taking back a permission', () => {
  const [kind] = clientKinds as [(typeof clientKinds)[number]];
  const [use] = uses as [(typeof uses)[number]];
  const client = clientOf(kind, use);
  const appOf = () => kind.app(portal, client, { scope: use.scope });
  const taken = 'user/Condition.cruds';
  const events = () =>
    portal.query<{ user_id: string; detail: object }>(
      "SELECT user_id, detail FROM audit_event WHERE type = 'permission.revoked' AND client_id = $1 ORDER BY id",
      [client.clientId],
    );

  it('is recorded once, with the scopes that the app lost, however often it is sent', async () => {
    const app = appOf();
    await app.tokens(people.patient);
    const before = (await events()).length;
    const node = new Agent(portal.issuer, portal.ports[1]);
    for (const [name, value] of app.browser.cookies) node.cookies.set(name, value);
    const answers = await Promise.all(
      [app.browser, node, app.browser].map((browser) => takeBack(browser, client, taken)),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await events()).slice(before)).toEqual([
      { user_id: expect.any(String), detail: { permission: taken, scopes: ['patient/Condition.cruds'] } },
    ]);
  });

  it.each(['openid', 'user/Condition.rs', 'offline_access', 'nonsense', ''])(
    'refuses %p, which is no permission by itself',
    async (scope) => {
      const app = appOf();
      await app.tokens(people.patient);
      expect((await takeBack(app.browser, client, scope)).status).toBe(400);
    },
  );

  it('says that an app has no access', async () => {
    const app = appOf();
    await app.tokens(people.patient);
    expect((await takeBack(app.browser, { clientId: 'unknown' }, taken)).status).toBe(404);
    await app.browser.send(`/api/grant?clientId=${client.clientId}`, { method: 'DELETE' });
    expect((await takeBack(app.browser, client, taken)).status).toBe(404);
  });

  it('changes nothing when its connection to the database is lost, and can be repeated', async () => {
    const app = appOf();
    const { access_token } = await app.tokens(people.patient);
    const holder = new pg.Client(portal.connection);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query("SELECT FROM oidc_record WHERE model = 'Grant' FOR UPDATE");
    const answer = takeBack(app.browser, client, taken);
    await until(async () => {
      const { rowCount } = await holder.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    await holder.end();
    expect((await answer).status).toBe(503);
    expect((await kind.read(app.browser, aRead.Condition, access_token)).status).toBe(200);
    expect((await takeBack(app.browser, client, taken)).status).toBe(204);
    expect((await kind.read(app.browser, aRead.Condition, access_token)).status).toBe(403);
  });
});

/** Consents to everything, and has it remembered. */
async function remembered(app: SmartApp): Promise<void> {
  const begun = await app.begin();
  await app.signIn(people.patient, begun);
  const returnUrl = new URL(await app.follow(begun)).searchParams.get('returnUrl') ?? '';
  await app.consent(returnUrl, await app.offeredScopes(returnUrl), true);
  await app.follow(returnUrl);
}

/** Sends calls one after the other while these records are locked: each begins when the one before waits. */
async function whileHeld(condition: string, calls: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const holder = new pg.Client(portal.connection);
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM oidc_record WHERE ${condition} FOR UPDATE`);
    const answers: Promise<unknown>[] = [];
    for (const call of calls) {
      let isDone = false;
      answers.push(
        call().finally(() => {
          isDone = true;
        }),
      );
      await until(async () => {
        const { rowCount } = await holder.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return isDone || rowCount === answers.length;
      });
    }
    await holder.query('COMMIT');
    return await Promise.all(answers);
  } finally {
    await holder.end();
  }
}
