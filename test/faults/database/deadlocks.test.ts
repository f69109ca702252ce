import pg from 'pg';
import { Database } from '../../../src/platform/database/database.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp } from '../../support/clients/clients.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const opaqueApp = (kind: ClientKind) => kind.client('opaque', { accessTokenType: 'Reference' });
/** The maximum number of attempts of such a use case. */
const mostRuns = 3;

let portal: TestPortal;
let proxy: DatabaseProxy;
const heard: string[] = [];
/** The browser of a user who has consented to the app. */
let browser: Agent;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.admin, people.patient], clients: [publicApp, ...clientKinds.map(opaqueApp)] },
    reachDatabase: (database) => {
      proxy = new DatabaseProxy(database, (sql) => heard.push(sql));
      return proxy.open();
    },
  });
});

beforeEach(async () => {
  const smart = new SmartApp(portal, { client: publicApp });
  await smart.tokens(people.patient);
  browser = smart.browser;
});

afterAll(async () => {
  await portal.close();
  await proxy.shut();
});

/** A connection without the portal, whose transaction PostgreSQL never ends in a deadlock. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client(portal.connection);
  await client.connect();
  await client.query("SET deadlock_timeout = '1h'");
  return client;
}

const revoke = () => browser.send(`/api/grant?clientId=${publicApp.clientId}`, { method: 'DELETE' });
/** Counts attempts by the first statement of a revocation. */
const runs = () => heard.filter((sql) => /^DELETE FROM "?app_consent/.test(sql)).length;
const recorded = async () => (await portal.query("SELECT FROM audit_event WHERE type = 'app.revoked'")).length;

/** Lets PostgreSQL end the next `count` transactions that delete a consent. */
async function endingTransactions(code: string, count: number, work: () => Promise<void>): Promise<void> {
  await portal.query(`
    CREATE SEQUENCE ended;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF nextval('ended') <= ${count} THEN RAISE EXCEPTION 'chosen' USING ERRCODE = '${code}'; END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER fail AFTER DELETE ON app_consent FOR EACH STATEMENT EXECUTE FUNCTION fail()`);
  try {
    await work();
  } finally {
    await portal.query('DROP FUNCTION fail CASCADE');
    await portal.query('DROP SEQUENCE ended');
  }
}

describe('R-07 A use case whose only effect is on the database', () => {
  it.each(['40P01', '40001'])('is retried when PostgreSQL aborts it, and takes effect once (%s)', async (code) => {
    const [before, begun] = [await recorded(), runs()];
    await endingTransactions(code, mostRuns - 1, async () => {
      expect((await revoke()).status).toBeLessThan(300);
    });
    expect(runs() - begun).toBe(mostRuns);
    expect(await recorded()).toBe(before + 1);
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).toEqual([]);
  });

  it('fails after three attempts, without any change', async () => {
    const [before, begun] = [await recorded(), runs()];
    await endingTransactions('40P01', mostRuns, async () => {
      const answer = await revoke();
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    });
    expect(runs() - begun).toBe(mostRuns);
    expect(await recorded()).toBe(before);
    expect((await revoke()).status).toBeLessThan(300);
  });

  it('is not retried after another error', async () => {
    const begun = runs();
    await endingTransactions('55P03', 1, async () => {
      expect((await revoke()).status).toBe(503);
    });
    expect(runs() - begun).toBe(1);
  });

  it('is not retried inside of another use case, whose transaction has failed', async () => {
    const database = portal.apps[0]?.get(Database, { strict: false }) as Database;
    let begun = 0;
    const inner = async () => {
      begun += 1;
      await database.query("DO $$ BEGIN RAISE EXCEPTION 'chosen' USING ERRCODE = '40P01'; END $$");
    };
    const outer = database.transaction(() => database.repeatableTransaction(inner));
    await expect(outer).rejects.toMatchObject({ code: '40P01' });
    expect(begun).toBe(1);
  });

  it('is retried when PostgreSQL aborts one of two deadlocked transactions', async () => {
    // An attempt whose second lock comes too late causes no deadlock: the first lock then waits until it fails.
    await until(async () => {
      const begun = runs();
      const { status } = await collide();
      return status < 300 && runs() - begun > 1;
    });
  });
});

/**
 * The portal has locked the consent and waits for the grant; another connection has locked the grant and waits for the
 * consent.
 */
async function collide(): Promise<Answer> {
  const other = await session();
  const onlooker = await session();
  try {
    await other.query('BEGIN');
    await other.query("SELECT FROM oidc_record WHERE model = 'Grant' FOR UPDATE");
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const answer = revoke();
    let isAnswered = false;
    const settled = answer.finally(() => {
      isAnswered = true;
    });
    const waits = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await until(async () => isAnswered || (await onlooker.query(waits, [rows[0]?.pid])).rowCount === 1);
    await other.query('SELECT FROM app_consent FOR UPDATE');
    await other.query('COMMIT');
    return await settled;
  } finally {
    await other.end();
    await onlooker.end();
  }
}

describe('R-07 A request that waits for the lock of a grant holds no other lock', () => {
  let kind: ClientKind;
  let app: SmartApp;
  let code: string;
  let tokens: Tokens;

  const begin = async () => {
    app = kind.app(portal, opaqueApp(kind), {}, browser);
    code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  };

  const redeem = async () => {
    tokens = (await app.exchange(code)).json<Tokens>();
  };
  const end = (token: string | undefined) =>
    kind.post(new Agent(portal.issuer), '/connect/revocation', opaqueApp(kind), { token: token ?? '' });
  const outOfTheBurst = () =>
    portal.query(
      "UPDATE oidc_record SET consumed_at = consumed_at - interval '1 minute' WHERE model = 'AuthorizationCode'",
    );

  it.each<[string, { before?: () => Promise<unknown>; request: () => Promise<Answer>; status: number }]>([
    ['a code', { request: () => app.exchange(code), status: 200 }],
    ['a refresh', { before: redeem, request: () => app.refresh(tokens.refresh_token ?? ''), status: 200 }],
    [
      'a refresh token that was stolen',
      {
        async before() {
          await redeem();
          const next = (await app.refresh(tokens.refresh_token ?? '')).json<Tokens>().refresh_token ?? '';
          await app.refresh(next);
        },
        request: () => app.refresh(tokens.refresh_token ?? ''),
        status: 400,
      },
    ],
    [
      'a code that was stolen',
      {
        async before() {
          await redeem();
          await outOfTheBurst();
        },
        request: () => app.exchange(code),
        status: 400,
      },
    ],
    ['the end of an access token', { before: redeem, request: () => end(tokens.access_token), status: 200 }],
    ['the end of a refresh token', { before: redeem, request: () => end(tokens.refresh_token), status: 200 }],
    [
      'the end of what an app may do',
      {
        before: redeem,
        request: () => browser.send(`/api/grant?clientId=${opaqueApp(kind).clientId}`, { method: 'DELETE' }),
        status: 204,
      },
    ],
  ])('%s', async (_, { before, request, status }) => {
    const [holder, onlooker] = [await session(), await session()];
    try {
      for (kind of clientKinds) {
        await begin();
        await before?.();
        await holder.query('BEGIN');
        await holder.query("SELECT FROM oidc_record WHERE model = 'Grant' FOR UPDATE");
        const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const answer = request();
        const waits = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
        await until(async () => (await onlooker.query(waits, [rows[0]?.pid])).rowCount === 1);
        const ofGrants = "SELECT FROM oidc_record WHERE model <> 'Grant' AND grant_id IS NOT NULL FOR UPDATE NOWAIT";
        expect((await onlooker.query(ofGrants)).rowCount).toBeGreaterThan(0);
        await onlooker.query('SELECT FROM refresh_answer FOR UPDATE NOWAIT');
        await holder.query('COMMIT');
        expect([kind.name, (await answer).status]).toEqual([kind.name, status]);
      }
    } finally {
      await Promise.all([holder.end(), onlooker.end()]);
    }
  });
});

describe('R-07 A node that removes a mail which it has sent', () => {
  const users = '/api/admin/user';
  const invited = (email: string) => ({
    fullName: 'Lena Marsh',
    email,
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: 'Patient/77' }],
  });

  it.each<[string, string, (id: string) => [string, { method: string; body?: unknown }], number]>([
    [
      'sends the link again',
      'again@example.org',
      (id) => [`${users}/${id}/resend-confirmation`, { method: 'POST' }],
      204,
    ],
    ['deletes the user', 'deleted@example.org', (id) => [`${users}/${id}`, { method: 'DELETE' }], 204],
  ])('does not wait for an administrator who %s meanwhile', async (_, email, request, status) => {
    const admin = new Agent(portal.issuer);
    await admin.post('/api/session/login', { username: people.admin.email, password: people.admin.password });
    const { id } = (await admin.post(users, invited(email))).json<{ id: string }>();
    const [node, onlooker] = [await session(), await session()];
    try {
      await node.query('BEGIN');
      const { rows } = await node.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ofAccount = 'SELECT mail_id::text FROM account_link WHERE account_id = $1';
      await node.query(`DELETE FROM job WHERE kind = 'mail' AND key IN (${ofAccount})`, [id]);
      const answer = admin.send(...request(id));
      const waits = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
      await until(async () => (await onlooker.query(waits, [rows[0]?.pid])).rowCount === 1);
      // As the node sets the time from which the link counts.
      await node.query('SELECT FROM account_link WHERE account_id = $1 FOR UPDATE NOWAIT', [id]);
      await node.query('COMMIT');
      expect((await answer).status).toBe(status);
    } finally {
      await Promise.all([node.end(), onlooker.end()]);
    }
  });
});
