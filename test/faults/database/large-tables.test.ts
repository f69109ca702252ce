import type { ClientList } from '../../../src/contract/clients/clients.js';
import type { GrantList } from '../../../src/contract/own-record/grants.js';
import type { UserList } from '../../../src/contract/users/users.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { isLong } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const many = isLong ? 100_000 : 10_000;
const grants = isLong ? 1_000_000 : 20_000;
/**
 * The maximum number of rows that a call may read from a table of any size: counts end at a thousand, and search terms
 * are estimated by some hundreds.
 */
const mostRowsRead = 4_000;
const app = { ...publicApp, requireConsent: false };

let portal: TestPortal;
let proxy: DatabaseProxy;
let admin: Agent;
let person: Agent;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.admin, people.patient], clients: [app] },
    reachDatabase(database) {
      proxy = new DatabaseProxy(database);
      return proxy.open();
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  const smart = new SmartApp(portal, { client: app });
  await smart.tokens(people.patient);
  person = smart.browser;
  await portal.query(
    `INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
     SELECT gen_random_uuid(), 'p' || i || '@hospital.example', 'Person ' || left(md5(i::text), 6), 'Patient', '[]', true, false, '', now()
       FROM generate_series(1, $1::int) i`,
    [many],
  );
  await portal.query(
    `INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
     SELECT gen_random_uuid(), 'app-' || i, 'App ' || left(md5(i::text), 6), client_type, true, 1, settings, now(), now()
       FROM generate_series(1, $1::int) i JOIN client pattern ON client_id = '${app.clientId}'`,
    [many],
  );
  await portal.query(
    `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, expires_at)
     SELECT 'Grant', 'hash ' || i, '{"kind":"Grant"}', 'grant ' || i, md5((i % 50000)::text)::uuid::text, 'app-' || i % 500,
            now() + interval '90 days'
       FROM generate_series(1, $1::int) i`,
    [grants],
  );
  for (const table of ['account', 'client', 'oidc_record']) await portal.query(`ANALYZE ${table}`);
  // The first reading contains the rows that the preparation has read.
  await rowsRead(async () => undefined);
}, 600_000);

afterAll(async () => {
  await portal.close();
  await proxy.shut();
});

/** A connection publishes its statistics when it ends. */
async function rowsReadSoFar(): Promise<number> {
  const sessions = () =>
    portal.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
  const ended = (await sessions()).map(({ pid }) => pid);
  proxy.breakAll();
  await until(async () => !(await sessions()).some(({ pid }) => ended.includes(pid)));
  await until(async () => (await admin.get('/health/ready')).status === 200);
  // This connection publishes them on request.
  await portal.query('SELECT pg_stat_force_next_flush()');
  const [row] = await portal.query<{ rows: string }>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS rows FROM pg_stat_user_tables
      WHERE relname IN ('account', 'client', 'client_listing', 'oidc_record')`,
  );
  return Number(row?.rows);
}

async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsReadSoFar();
  await work();
  return (await rowsReadSoFar()) - before;
}

const users = async (query: string) =>
  (await admin.get(`/api/admin/user?${query}`)).json<UserList & Record<string, unknown>>();
const clients = async (query: string) =>
  (await admin.get(`/api/admin/client?${query}`)).json<ClientList & Record<string, unknown>>();

// Rows instead of milliseconds, which depend on the machine; `npm run bench` measures those.
it.each([
  ['the first page of people', async () => expect((await users('pageSize=50')).users).toHaveLength(50)],
  ['people whom a term finds', async () => expect((await users('searchTerm=p4711@')).users).toHaveLength(1)],
  ['people of whom nearly all match', async () => expect((await users('searchTerm=hospital')).totalCount).toBe(1000)],
  ['the first page of clients', async () => expect((await clients('pageSize=50')).clients).toHaveLength(50)],
  ['clients that a term finds', async () => expect((await clients('searchTerm=app-4711')).totalCount).toBe(1)],
  ['clients of which nearly all match', async () => expect((await clients('searchTerm=app')).totalCount).toBe(1000)],
  [
    'the apps of a person',
    async () => {
      const answer = (await person.get('/api/grant')).json<GrantList & Record<string, unknown>>();
      expect(answer.clientsPermissions).toHaveLength(1);
    },
  ],
] as const)('S-03 a list reads few rows of large tables: %s', async (_, list) => {
  expect(await rowsRead(list)).toBeLessThan(mostRowsRead);
});
