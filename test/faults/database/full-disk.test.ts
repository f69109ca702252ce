import { mock } from 'node:test';
import pg from 'pg';
import { asUnavailable } from '../../../src/platform/database/database.js';
import { log } from '../../../src/platform/logging/log.js';
import type { SmartApp } from '../../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const clientOf = (kind: ClientKind) => kind.client('full', { accessTokenType: 'Reference' });
const { email: username, password } = people.patient;

let portal: TestPortal;
let running: { smart: SmartApp; refreshToken: string }[];
/** A connection without the portal. */
let operator: pg.Client;
const errors: string[] = [];
const recoveries: string[] = [];

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: clientKinds.map(clientOf) } });
  operator = new pg.Client(portal.connection);
  await operator.connect();
  const browser = agent();
  running = [];
  for (const kind of clientKinds) {
    const smart = kind.app(portal, clientOf(kind), {}, browser);
    const { refresh_token: refreshToken = '' } = await smart.tokens(people.patient);
    running.push({ smart, refreshToken });
  }
  mock.method(log, 'error', (...parts: unknown[]) => errors.push(JSON.stringify(parts)));
  mock.method(log, 'info', (...parts: unknown[]) => {
    if (parts.at(-1) === 'the database takes changes again') recoveries.push(String(parts.at(-1)));
  });
});

beforeEach(() => {
  errors.length = 0;
  recoveries.length = 0;
});

afterAll(async () => {
  mock.restoreAll();
  await operator.end();
  await portal.close();
});

const agent = () => new Agent(portal.issuer);
const login = () => agent().post('/api/session/login', { username, password });
const ready = async () => {
  const { status, ...answer } = await agent().get('/health/ready');
  return [status, JSON.parse(answer.text)];
};
const readyFor = (reason: string) => [
  503,
  { status: 'unready', database: false, migrations: false, clock: false, reason },
];

async function expectBusy(): Promise<void> {
  for (const answer of await Promise.all([login(), login()])) {
    expect([answer.status, answer.headers['retry-after'], answer.text]).toEqual([503, '2', expect.any(String)]);
    expect(answer.text).toContain('Please try again');
  }
}

async function expectWorksAgain(): Promise<void> {
  await until(async () => (await agent().get('/health/ready')).status === 200);
  expect((await login()).status).toBe(200);
  expect((await ready())[1]).toEqual({ status: 'ready', database: true, migrations: true, clock: true });
  expect([errors.length, recoveries.length]).toEqual([1, 1]);
}

describe.each([
  ['53100', 'disk-full', 'could not extend file'],
  ['58030', 'io-error', 'could not write'],
])('While PostgreSQL answers changes with %s', (code, reason, text) => {
  it.each(['oidc_record', 'audit_event'])(
    'users get 503, one line tells the reason, and the node is not ready until it can write again: %s',
    async (table) => {
      await operator.query(`
        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION '${text}' USING ERRCODE = '${code}'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`);
      try {
        await expectBusy();
        for (const { smart, refreshToken } of running) {
          const { status } = await smart.refresh(refreshToken);
          // A refresh is answered once more, and its event is recorded a moment later.
          expect([200, 503]).toContain(status);
        }
        expect(await ready()).toEqual(readyFor(reason));
        // Longer than the pause between two attempts to write.
        await new Promise((resolve) => setTimeout(resolve, 3_500));
        expect(await ready()).toEqual(readyFor(reason));
        await expectBusy();
        expect(errors).toEqual([expect.stringContaining(`the database takes no changes: ${reason}`)]);
        expect(errors[0]).toContain(text);
      } finally {
        await operator.query('DROP FUNCTION full_disk CASCADE');
      }
      await expectWorksAgain();
    },
  );
});

it('While PostgreSQL takes reading transactions only, the node is not ready, also without a request', async () => {
  const { database } = portal.connection;
  await operator.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await operator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`,
    [database],
  );
  try {
    await until(async () => JSON.stringify(await ready()) === JSON.stringify(readyFor('read-only')));
    await expectBusy();
    expect(errors).toEqual([expect.stringContaining('the database takes no changes: read-only')]);
  } finally {
    await operator.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
  }
  await expectWorksAgain();
});

it.each(['53100', '58030', '25006', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])(
  'A request that fails by %s is answered with 503',
  (code) => expect(asUnavailable(Object.assign(new Error('x'), { code }))?.status).toBe(503),
);
