import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { asUnavailable, Database } from '../../../src/platform/database/database.js';
import { basicAuthorization, type SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import type { TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const poolSize = 10;
/** The limit for a statement is five seconds; the rest is for a slow machine. */
const patienceMs = 9_000;
const clientOf = (kind: ClientKind) => kind.client('quiet', { accessTokenType: 'Reference' });
const { email: username, password } = people.patient;

let portal: TestPortal;
let proxy: DatabaseProxy;
let database: TestConnection;
/** A connection without the portal. */
let operator: pg.Client;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      database: { poolSize },
      users: [people.patient],
      clients: [...clientKinds.map(clientOf), backendService],
    },
    reachDatabase(connection) {
      database = connection;
      proxy = new DatabaseProxy(connection);
      return proxy.open();
    },
  });
  operator = new pg.Client(database);
  await operator.connect();
});

afterAll(async () => {
  await operator.end();
  await portal.close();
  await proxy.shut();
});

const agent = () => new Agent(portal.issuer);
const login = () => agent().post('/api/session/login', { username, password });
const service = basicAuthorization(backendService.clientId, sharedSecret);

interface Running {
  kind: ClientKind;
  smart: SmartApp;
  refreshToken: string;
  accessToken: string;
}

/** One app of each kind with tokens of the same user. */
async function runningApps(): Promise<Running[]> {
  const browser = agent();
  const running: Running[] = [];
  for (const kind of clientKinds) {
    const smart = kind.app(portal, clientOf(kind), {}, browser);
    const { refresh_token: refreshToken = '', access_token: accessToken } = await smart.tokens(people.patient);
    running.push({ kind, smart, refreshToken, accessToken });
  }
  return running;
}

/** Uses and refreshes the tokens of each app. */
async function expectUsable(running: Running[]): Promise<void> {
  for (const { kind, smart, refreshToken } of running) {
    const refreshed = await smart.refresh(refreshToken);
    expect([kind.name, refreshed.status]).toEqual([kind.name, 200]);
    const again = await smart.refresh(refreshed.json<Tokens>().refresh_token ?? '');
    expect([kind.name, again.status]).toEqual([kind.name, 200]);
  }
}

/** The answer is 503 with Retry-After, in time. */
async function expectBusy(requests: Promise<Answer>[]): Promise<void> {
  const began = performance.now();
  for (const answer of await Promise.all(requests)) {
    expect([answer.status, answer.text]).toEqual([503, expect.any(String)]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(performance.now() - began).toBeLessThan(patienceMs);
}

/** A trigger raises this SQLSTATE, with which PostgreSQL ends a transaction, at each statement on the table. */
async function failing(code: string, table: string, work: () => Promise<void>): Promise<void> {
  await operator.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'chosen' USING ERRCODE = '${code}'; END $$;
    CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION fail()`);
  try {
    await work();
  } finally {
    await operator.query('DROP FUNCTION fail CASCADE');
  }
}

// The caller repeats the request, not the portal: a code or a client assertion must not be used twice.
describe('R-07 A request that the database blocks or aborts', () => {
  it('is cancelled while other transactions hold its locks, also with more requests than connections, and the node stays ready', async () => {
    const node = portal.apps[0]?.get(Database, { strict: false }) as Database;
    const running = await runningApps();
    await operator.query('BEGIN');
    await operator.query('LOCK TABLE oidc_record IN ACCESS EXCLUSIVE MODE');
    try {
      const often = Array.from({ length: Math.ceil((3 * poolSize) / running.length) }, () => running).flat();
      const refused = expectBusy(often.map(({ smart, refreshToken }) => smart.refresh(refreshToken)));
      await until(() => node.connections.waiting > 0);
      // Otherwise a load balancer would give the requests of a busy node to the next one, until it has none left.
      const ready = await Promise.all([agent().get('/health/ready'), agent().get('/health/ready')]);
      expect([node.connections.waiting > 0, ...ready.map(({ status }) => status)]).toEqual([true, 200, 200]);
      await refused;
    } finally {
      await operator.query('ROLLBACK');
    }
    await expectUsable(running);
  });

  it.each([
    ['a deadlock', '40P01'],
    ['another transaction that it contradicts', '40001'],
    ['a lock that it does not get', '55P03'],
  ])('is answered with 503 and leaves no change behind: %s', async (_, code) => {
    const running = await runningApps();
    const before = await portal.query("SELECT count(*) FROM audit_event WHERE type = 'login' AND outcome = 'success'");
    await failing(code, 'oidc_record', () =>
      expectBusy([...running.map(({ smart, refreshToken }) => smart.refresh(refreshToken)), login()]),
    );
    expect(await portal.query("SELECT count(*) FROM audit_event WHERE type = 'login' AND outcome = 'success'")).toEqual(
      before,
    );
    await expectUsable(running);
    expect((await login()).status).toBe(200);
  });

  it('fails with the first error of the transaction, even if its use case ignores that error', async () => {
    const divisionByZero = { code: '22012' };
    const node = portal.apps[0]?.get(Database, { strict: false }) as Database;
    const ignoring = (work: () => Promise<unknown>) =>
      node.transaction(async () => {
        await node.query('SELECT 1 / 0').catch(() => undefined);
        return work();
      });
    await expect(ignoring(async () => 'done')).rejects.toMatchObject(divisionByZero);
    await expect(ignoring(() => node.query('SELECT 1'))).rejects.toMatchObject(divisionByZero);
    await expect(
      node.transaction(
        async () => 'nothing kept',
        () => false,
      ),
    ).resolves.toBe('nothing kept');
  });

  it('is answered with 503 when its connection ends between two statements of a transaction', async () => {
    const node = portal.apps[0]?.get(Database, { strict: false }) as Database;
    const failure = await node
      .transaction(async () => {
        const { rows } = await node.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const pid = rows[0]?.pid;
        await portal.query('SELECT pg_terminate_backend($1)', [pid]);
        await until(
          async () => (await portal.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0,
        );
        await node.manager.query('SELECT 1');
      })
      .catch((error: unknown) => error);
    expect(asUnavailable(failure)?.status).toBe(503);
  });

  it('is answered with 503 while the address of the database cannot be resolved or reached', async () => {
    for (const host of ['database.invalid', '255.255.255.255']) {
      const failure = await new pg.Client({ ...database, host }).connect().catch((error: unknown) => error);
      expect([host, asUnavailable(failure)?.status]).toEqual([host, 503]);
    }
  });

  it('holds its locks for at most ten seconds when its node stops in the middle of it', async () => {
    const limits = await portal.apps[0]
      ?.get(Database, { strict: false })
      .query("SELECT current_setting('idle_in_transaction_session_timeout') AS idle");
    expect(limits?.rows).toEqual([{ idle: '10s' }]);
  });
});

describe('R-14 While packets to the database are dropped', () => {
  it('every request that needs it fails soon, none uses outdated data, and all work afterwards', async () => {
    const running = await runningApps();
    const [{ smart, accessToken }] = running as [Running];
    proxy.dropAllData();
    try {
      await expectBusy([
        ...running.map((one) => one.smart.refresh(one.refreshToken)),
        ...running.map((one) => one.kind.userinfo(agent(), one.accessToken)),
        login(),
        smart.browser.get('/api/session'),
        agent().postForm('/connect/introspect', { token: accessToken }, { headers: service }),
        smart.authorize(),
      ]);
      expect((await agent().get('/health/live')).status).toBe(200);
      expect((await agent().get('/health/ready')).status).toBe(503);
    } finally {
      proxy.passDataAgain();
    }
    await until(async () => (await agent().get('/health/ready')).status === 200);
    await until(async () => (await login()).status === 200);
    await expectUsable(running);
  });

  it('a use case that continues without it waits for its answer once, and not again with each statement', async () => {
    const database = portal.apps[0]?.get(Database, { strict: false });
    const fails = async () => {
      const failure = await database?.queryOutsideTransaction('SELECT 1').catch((error: unknown) => error);
      expect(asUnavailable(failure)?.status).toBe(503);
    };
    proxy.dropAllData();
    try {
      await fails();
      // Longer than the pause between two attempts to connect.
      await sleep(300);
      const began = performance.now();
      for (let statement = 0; statement < 6; statement++) await fails();
      expect(performance.now() - began).toBeLessThan(3_500);
    } finally {
      proxy.passDataAgain();
    }
    await until(async () => (await agent().get('/health/ready')).status === 200);
  });
});
