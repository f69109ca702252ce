import { join } from 'node:path';
import pg from 'pg';
import { withGatehouse } from '../servers/processes.mjs';
import { load } from '../tools/load.mjs';
import { signIn } from '../tools/requests.mjs';

const few = 10_000;
const many = Number(process.env.BENCH_ACCESSES ?? 10_000_000);
const months = 24;
/** So each patient has the same number of accesses in both installations. */
const perPatient = 1_000;
const apps = 50;
const rounds = 7;
const requests = Number(process.env.BENCH_REQUESTS ?? 60);
const atMost = 1.5;
const admin = {
  email: 'bench.admin@example.org',
  password: 'granite-violin-5512',
  fullName: 'Bench Admin',
  userType: 'Admin',
};
const patient = {
  email: 'bench.patient@example.org',
  password: 'copper-meadow-8841',
  fullName: 'Bench Patient',
  userType: 'Patient',
};
const people = { admin, patient };
const patientOf = (turn, rows) => `p-${(turn * 37) % (rows / perPatient)}`;

/**
 * Measures what patients and administrators ask of the audit record, and what an access costs, with 10,000 and with
 * 10,000,000 of them.
 */
export async function audit(table) {
  await withAccesses(few, (small) => withAccesses(many, (large) => measure(table, [small, large])));

  function withAccesses(rows, work) {
    const users = [
      { ...admin, claims: [] },
      { ...patient, claims: [{ name: 'fhirUser', value: 'Patient/p-0' }] },
    ];
    return withGatehouse({ users, logging: { level: 'error' } }, async (server) => {
      const database = new pg.Client({
        host: join(server.dataDir, 'postgres'),
        user: 'gatehouse',
        database: 'gatehouse',
      });
      await database.connect();
      try {
        const began = performance.now();
        await fill(database, rows);
        table.ratio(`${rows} accesses: minutes to load them`, (performance.now() - began) / 60_000);
        for (const [name, bytes] of await sizes(database))
          table.ratio(`${rows} accesses: bytes each, ${name}`, bytes / rows);
        await work({ ...server, rows, database });
      } finally {
        await database.end();
      }
    });
  }
}

const lastMonth = monthStart(-1);
const queries = {
  "first page of a patient's log": { as: 'patient', path: () => '/api/user/access-log?timeZone=Europe%2FBerlin' },
  'search by client and month': {
    as: 'admin',
    path: (turn) =>
      `/api/admin/audit?${new URLSearchParams({ clientId: `app-${turn % apps}`, from: lastMonth, to: monthStart(0), pageSize: '25' })}`,
  },
  'search by patient': {
    as: 'admin',
    path: (turn, rows) => `/api/admin/audit?${new URLSearchParams({ patient: patientOf(turn, rows), pageSize: '25' })}`,
  },
};

async function measure(table, servers) {
  const compare = async (name, run) => {
    const found = servers.map(() => []);
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, server] of servers.entries()) {
        const measured = await run(server, round);
        // The first round warms up.
        if (round > 0) found[index].push(measured);
      }
    }
    const [p95Few, p95Many] = found.map((measured, index) => {
      const middle = measured.sort((a, b) => a.p95 - b.p95)[Math.floor(measured.length / 2)];
      table.add(`${servers[index].rows} accesses: ${name}`, middle);
      return middle.p95;
    });
    table.ratio(`${name}: p95 with ${many} / with ${few} (at most ${atMost})`, p95Many / p95Few);
  };
  for (const [name, { as, path }] of Object.entries(queries)) {
    const check = (status, text) => {
      if (status !== 200) throw new Error(`${name}: answered ${status} ${text}`);
    };
    await compare(name, async ({ origin, pids, rows }, round) => {
      // A session ends while the other queries are measured.
      const headers = (await signIn(origin, people[as])).headers();
      return load({
        ...{ origin, pids, check },
        concurrency: 1,
        count: requests,
        next: (turn) => ({ path: path(round * requests + turn, rows), method: 'GET', headers }),
      });
    });
  }
  await compare('insert of 100', ({ database, rows }) => inserts(database, rows));
}

/** Batches of 100 accesses, as a busy node records them, one after the other. */
async function inserts(database, rows) {
  const times = [];
  for (let turn = 0; turn < requests; turn += 1) {
    const sent = performance.now();
    await database.query(
      `WITH event AS (
         INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, address, correlation_id, detail)
         SELECT clock_timestamp(), ${columns('i')} FROM generate_series($1::int, $1::int + 99) AS i, ${random('i')} RETURNING id, recorded_at)
       INSERT INTO audit_unsealed SELECT id, recorded_at FROM event`,
      [turn * 100, rows / perPatient],
    );
    times.push(performance.now() - sent);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)];
  return { perSecond: 1000 / at(0.5), p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** In random order of users and patients; `$2` is the number of patients. */
const random = (i) =>
  `LATERAL (SELECT (hashint8(${i}) & 2147483647) AS a, (hashint8(-${i}) & 2147483647) AS b, (hashint8(${i} * 7) & 2147483647) AS c) AS random`;
const columns = (i) => `'record.accessed', 'success', md5('user' || a % 5000)::uuid::text, 'app-' || c % ${apps},
  '10.' || a % 200 || '.' || b % 200 || '.1', gen_random_uuid()::text,
  jsonb_build_object('method', 'GET', 'target', 'Observation?patient=p-' || b % $2 || '&code=' || ${i}, 'status', 200, 'interaction', 'search',
    'resource', 'Observation', 'patient', 'p-' || b % $2, 'patients', jsonb_build_array('p-' || b % $2),
    'seen', jsonb_build_array('{"Observation/laboratory":12,"Encounter":2}'::jsonb), 'launch', 'L' || left(md5((${i} / 20)::text), 12))`;

/** A table for each month, whose indexes are created when it has its rows: the server loads millions within minutes. */
async function fill(database, rows) {
  const perMonth = Math.round(rows / months);
  const start = monthStart(0);
  await database.query('BEGIN');
  await database.query('ALTER TABLE audit_event DETACH PARTITION audit_event_carried');
  await database.query(
    `ALTER TABLE audit_event ATTACH PARTITION audit_event_carried FOR VALUES FROM ('${start}') TO ('${monthStart(1)}')`,
  );
  await database.query('COMMIT');
  for (let ago = months - 1; ago >= 0; ago -= 1) {
    const [from, to] = [monthStart(-ago), ago === 0 ? new Date().toISOString() : monthStart(1 - ago)];
    const name = ago === 0 ? 'audit_event_carried' : `audit_event_${from.slice(0, 7).replace('-', '_')}`;
    if (ago > 0)
      await database.query(
        `CREATE TABLE ${name} (LIKE audit_event INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STATISTICS)`,
      );
    await database.query(
      `INSERT INTO ${name} (id, recorded_at, type, outcome, user_id, client_id, address, correlation_id, detail)
       SELECT nextval('audit_event_id_seq'), $3::timestamptz + (i - $1) * (($4::timestamptz - $3) / $5), ${columns('i')}
         FROM generate_series($1::bigint, $1::bigint + $5 - 1) AS i, ${random('i')}`,
      [(months - ago) * perMonth, rows / perPatient, from, to, perMonth],
    );
    if (ago > 0)
      await database.query(`ALTER TABLE audit_event ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`);
    process.stderr.write(`${name}: ${perMonth} accesses\n`);
  }
  // PostgreSQL does the same by itself within a minute.
  await database.query('VACUUM ANALYZE audit_event');
}

/** The bytes of the rows, and of each index, of all partitions together. */
async function sizes(database) {
  const { rows } = await database.query(
    `SELECT 'rows' AS name, sum(pg_table_size(relid))::float8 AS bytes FROM pg_partition_tree('audit_event') WHERE isleaf
     UNION ALL
     SELECT 'index ' || regexp_replace(index.relname, '^audit_event_', ''), sum(pg_relation_size(tree.relid))::float8
       FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid CROSS JOIN LATERAL pg_partition_tree(indexrelid) AS tree
      WHERE indrelid = 'audit_event'::regclass AND tree.isleaf GROUP BY 1
     ORDER BY 2 DESC`,
  );
  return rows.map(({ name, bytes }) => [name, bytes]);
}

/** First day of a month that is so many months ahead (UTC). */
function monthStart(ahead) {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString();
}
