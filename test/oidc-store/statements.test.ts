import { OidcRecords } from '../../src/oidc-store/infrastructure/oidc-records.js';
import { Database } from '../../src/platform/database/database.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../support/clients/clients.js';
import { DatabaseProxy } from '../support/database/database-proxy.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const referenceApp = { ...publicApp, clientId: 'reference-app', accessTokenType: 'Reference' };
const jwtService = { ...backendService, clientId: 'jwt-service', accessTokenType: 'Jwt' };
const referenceService = { ...backendService, clientId: 'reference-service', accessTokenType: 'Reference' };
/** Statements that nodes send by themselves now and then. */
const ofNodes =
  /^\s*(LISTEN|SHOW|SELECT 1$|SELECT system_identifier |WITH first_due |INSERT INTO launch |DELETE FROM (rate_limit|oidc_record WHERE ctid|refresh_answer WHERE expires_at))/;

let portal: TestPortal;
let proxy: DatabaseProxy;
const heard: string[] = [];

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [publicApp, quietApp, referenceApp, jwtService, referenceService] },
    reachDatabase: (database) => {
      proxy = new DatabaseProxy(database, (sql) => {
        if (ofNodes.test(sql)) proxy.roundTrips -= 1;
        else heard.push(sql);
      });
      return proxy.open();
    },
  });
});

afterAll(async () => {
  await portal.close();
  await proxy.shut();
});

/** Fails when `request` needs more statements or round trips; BEGIN and COMMIT do not count as statements. */
async function within(
  most: { statements: number; roundTrips: number },
  request: () => Promise<Answer>,
): Promise<Answer> {
  heard.length = 0;
  proxy.roundTrips = 0;
  const answer = await request();
  const { roundTrips } = proxy;
  const statements = heard.filter((sql) => !/^(BEGIN|COMMIT)$/.test(sql));
  expect(heard).toContain('COMMIT');
  expect(statements.length > most.statements || roundTrips > most.roundTrips ? { roundTrips, statements } : {}).toEqual(
    {},
  );
  return answer;
}

/** The cost of an authorization request that asks nothing: the user's earlier decision is locked, and read. */
const decision = { statements: 2, roundTrips: 1 };

/** Runs an authorization request to its code, each HTTP request in few statements. */
async function code(app: SmartApp): Promise<string> {
  const most = { statements: 6 + decision.statements, roundTrips: 4 };
  let { location = '' } = await within(most, () => app.authorize());
  while (location.startsWith(portal.issuer)) {
    const { pathname, searchParams } = new URL(location);
    const returnUrl = searchParams.get('returnUrl') ?? '';
    if (pathname === '/login') await app.signIn(people.patient, returnUrl);
    if (pathname === '/user/consent') await app.consent(returnUrl, await app.offeredScopes(returnUrl), true);
    if (!pathname.startsWith('/connect/')) location = new URL(returnUrl, portal.issuer).href;
    const resumed = await app.browser.get(location);
    location = (await within(most, () => app.browser.get(resumed.location ?? ''))).location ?? '';
  }
  return new URL(location).searchParams.get('code') ?? '';
}

describe('The requests of a flow take few statements, sent in few round trips', () => {
  beforeAll(async () => {
    // Nodes cache the clients and the account, which are read here first.
    for (const client of [publicApp, quietApp, referenceApp])
      await new SmartApp(portal, { client }).tokens(people.patient);
  });

  it.each([quietApp, publicApp, referenceApp])(
    'an authorization request, a code exchange and a refresh ($clientId)',
    async (client) => {
      const first = new SmartApp(portal, { client });
      await code(first);
      const again = new SmartApp(portal, { client }, first.browser);
      const latest = await code(again);
      const opaque = client === referenceApp ? 1 : 0;
      const exchanged = await within({ statements: 3 + opaque, roundTrips: 2 }, () => again.exchange(latest));
      const refresh = (token = '') => within({ statements: 4 + opaque, roundTrips: 2 }, () => again.refresh(token));
      const refreshed = await refresh(exchanged.json<Tokens>().refresh_token);
      expect((await refresh(refreshed.json<Tokens>().refresh_token)).status).toBe(200);
    },
  );

  it('a code exchange, which need not renew the grant', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const latest = await code(app);
    const grants = () => portal.query("SELECT grant_id, expires_at FROM oidc_record WHERE model = 'Grant' ORDER BY 1");
    const before = await grants();
    expect((await app.exchange(latest)).json<Tokens>().refresh_token).toBeDefined();
    expect(await grants()).toEqual(before);
  });

  it('an authorization request of a signed-in user who is not asked', async () => {
    const { browser } = new SmartApp(portal, { client: quietApp });
    await code(new SmartApp(portal, { client: quietApp }, browser));
    const app = new SmartApp(portal, { client: quietApp }, browser);
    const most = { statements: 4 + decision.statements, roundTrips: 2 + decision.roundTrips };
    const { location = '' } = await within(most, () => app.authorize());
    expect(new URL(location).searchParams.get('code')).toBeTruthy();
  });

  it('refreshes, of which one a day renews the grant', async () => {
    const app = new SmartApp(portal, { client: quietApp });
    const exchanged = (await app.exchange(await code(app))).json<Tokens>();
    await portal.query("UPDATE oidc_record SET expires_at = expires_at - interval '1 hour' WHERE model = 'Grant'");
    const grants = () => portal.query("SELECT grant_id, expires_at FROM oidc_record WHERE model = 'Grant' ORDER BY 1");
    const before = await grants();
    const first = (await app.refresh(exchanged.refresh_token ?? '')).json<Tokens>();
    const renewed = await grants();
    expect(renewed).not.toEqual(before);
    expect((await app.refresh(first.refresh_token ?? '')).status).toBe(200);
    expect(await grants()).toEqual(renewed);
    const outliving = `SELECT count(*)::int AS number FROM oidc_record token JOIN oidc_record held USING (grant_id)
      WHERE token.model = 'RefreshToken' AND token.consumed_at IS NULL AND held.model = 'Grant' AND token.created_at = (
        SELECT max(created_at) FROM oidc_record WHERE model = 'RefreshToken') AND token.expires_at > held.expires_at`;
    expect(await portal.query(outliving)).toEqual([{ number: 0 }]);
  });
});

describe('A repeated introspection', () => {
  const post = (path: string, form: Record<string, string>, client: { clientId: string }) =>
    new Agent(portal.issuer).postForm(path, form, { headers: basicAuthorization(client.clientId, sharedSecret) });
  const serviceToken = async (client: { clientId: string }) => {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    return (await post('/connect/token', form, client)).json<Tokens>().access_token;
  };
  const userToken = async (client: { clientId: string }) =>
    (await new SmartApp(portal, { client }).tokens(people.patient)).access_token;

  it.each<[string, () => Promise<string>, number]>([
    ['a service, a JWT', () => serviceToken(jwtService), 0],
    ['a service, a reference token', () => serviceToken(referenceService), 1],
    ['a user, a JWT', () => userToken(quietApp), 1],
    ['a user, a reference token', () => userToken(referenceApp), 2],
  ])(
    'of the token of %s, needs no transaction and at most as many round trips as it has records',
    async (_, get, most) => {
      const token = await get();
      const introspect = () => post('/connect/introspect', { token }, { clientId: jwtService.clientId });
      await introspect();
      heard.length = 0;
      proxy.roundTrips = 0;
      expect((await introspect()).status).toBe(200);
      expect(proxy.roundTrips > most ? heard : []).toEqual([]);
      expect(heard).not.toContain('BEGIN');
    },
  );
});

describe('Records that are read at the same time', () => {
  let records: OidcRecords;
  beforeAll(() => {
    records = portal.apps[0]?.get(OidcRecords, { strict: false }) as OidcRecords;
  });

  it('are found in one round trip, each by its own id and model', async () => {
    for (const id of ['one', 'two']) await records.upsert('AccessToken', id, { clientId: id }, 60);
    await records.upsert('ClientCredentials', 'two', { clientId: 'service' }, 60);
    proxy.roundTrips = 0;
    heard.length = 0;
    const places = [
      ['AccessToken', 'one'],
      ['AccessToken', 'two'],
      ['ClientCredentials', 'one'],
      ['ClientCredentials', 'two'],
    ];
    const asked = [...places, ...places].map(([model = '', id = '']) => records.read(model, id));
    const found = (await Promise.all(asked)).map((one) => one?.payload.clientId);
    expect(found).toEqual([...Array(2)].flatMap(() => ['one', 'two', undefined, 'service']));
    expect(proxy.roundTrips).toBe(1);
    expect(heard).toHaveLength(places.length);
  });

  it('are given to each request as a payload of its own, which it may change', async () => {
    const payload = { clientId: 'app', authorizations: { app: { grantId: 'earlier' } } };
    await records.upsert('Session', 'shared', payload, 60);
    const [one, two] = await Promise.all([1, 2].map(() => records.read('Session', 'shared')));
    const authorizations = one?.payload.authorizations as typeof payload.authorizations;
    authorizations.app.grantId = 'of the first request';
    expect(two?.payload).toMatchObject(payload);
  });

  it('are not found when they were removed or had expired before', async () => {
    await records.upsert('AccessToken', 'removed', { clientId: 'app' }, 60);
    await records.upsert('AccessToken', 'expired', { clientId: 'app' }, -1);
    const earlier = records.read('AccessToken', 'removed');
    await records.destroy('AccessToken', 'removed');
    expect(await records.read('AccessToken', 'removed')).toBeUndefined();
    expect(await records.read('AccessToken', 'expired')).toBeUndefined();
    await earlier;
  });

  it('are found by a use case that has added them, before others see them', async () => {
    const database = portal.apps[0]?.get(Database, { strict: false }) as Database;
    await database.transaction(async () => {
      await records.upsert('AccessToken', 'added', { clientId: 'app' }, 60);
      expect(await records.read('AccessToken', 'added')).toBeDefined();
      expect(await database.outsideTransaction(() => records.read('AccessToken', 'added'))).toBeUndefined();
    });
    expect(await records.read('AccessToken', 'added')).toBeDefined();
  });
});

describe('A code that two transactions find at once', () => {
  let records: OidcRecords;
  let database: Database;
  beforeAll(() => {
    const node = portal.apps[0];
    records = node?.get(OidcRecords, { strict: false }) as OidcRecords;
    database = node?.get(Database, { strict: false }) as Database;
  });
  const find = (code: string) => database.transaction(() => records.findUnusedWithGrant('AuthorizationCode', code));
  /** Consumes the code, and lets another transaction look for it before this one ends. */
  const raced = async (code: string, isKept: boolean) => {
    await records.upsert('Grant', code, { clientId: 'app' }, 60);
    await records.upsert('AuthorizationCode', code, { grantId: code }, 60);
    let later: ReturnType<typeof find> | undefined;
    const consume = async () => {
      await records.findUnusedWithGrant('AuthorizationCode', code);
      await records.consumeLocked('AuthorizationCode', code);
      await database.query('SELECT 1');
      later = database.outsideTransaction(() => find(code));
      await until(async () => (await portal.query(isWaiting)).length === 1);
    };
    await database.transaction(consume, () => isKept);
    return later;
  };
  const isWaiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

  it('was consumed meanwhile for the second one, which may have begun after that', async () => {
    expect(await raced('raced', true)).toMatchObject({ consumedMeanwhile: true });
    expect(await find('raced')).toMatchObject({ consumedMeanwhile: false, payload: { consumed: expect.any(Number) } });
  });

  it('can be consumed by the second one when the first one is rolled back', async () => {
    const found = await raced('free', false);
    expect(found).toMatchObject({ consumedMeanwhile: false, grant: { payload: { clientId: 'app' } } });
    expect(found?.payload.consumed).toBeUndefined();
  });

  it('is found without its grant when that has ended', async () => {
    await records.upsert('AuthorizationCode', 'alone', { grantId: 'none' }, 60);
    expect(await find('alone')).toMatchObject({ consumedMeanwhile: false, grant: undefined });
  });
});

describe('A record that a transaction consumes without waiting for the result', () => {
  it('is consumed once: a transaction that would consume it again fails and stores nothing', async () => {
    const node = portal.apps[0];
    const records = node?.get(OidcRecords, { strict: false }) as OidcRecords;
    const database = node?.get(Database, { strict: false }) as Database;
    await records.upsert('Grant', 'a grant', {}, 60);
    await records.upsert('RefreshToken', 'old', { grantId: 'a grant' }, 60);
    const rotate = (next: string) =>
      database.transaction(async () => {
        await records.consumeLocked('RefreshToken', 'old');
        await records.upsert('RefreshToken', next, { grantId: 'a grant' }, 60);
      });
    await rotate('first');
    await expect(rotate('second')).rejects.toThrow('division by zero');
    expect(await records.findById('RefreshToken', 'first')).toBeDefined();
    expect(await records.findById('RefreshToken', 'second')).toBeUndefined();
  });
});
