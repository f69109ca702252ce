import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withGatehouse } from '../servers/processes.mjs';
import { basic, bySecret, codeExchanges, post, signIn } from '../tools/requests.mjs';
import { Table } from '../tools/table.mjs';
import { configuration, person, refreshes, steps } from './tokens.mjs';

const sizes = (process.env.BENCH_GROWTH ?? '10,10000,1000000').split(',').map(Number);
const expired = Math.min(200_000, sizes.at(-1));

/**
 * The flow with few and many grants, sessions and refresh tokens of other users in the store, and while expired rows
 * are removed.
 */
export async function growth(table) {
  await withGatehouse(configuration('ES256'), async (server) => {
    const database = new pg.Client({
      host: join(server.dataDir, 'postgres'),
      user: 'gatehouse',
      database: 'gatehouse',
    });
    await database.connect();
    try {
      const browser = await signIn(server.origin, person);
      // The first measurement would be that of code that is still being compiled.
      await measureFlow(new Table(), { server, browser, database }, 'warm-up');
      for (const size of sizes) {
        await fill(database, size);
        const before = await activity(database);
        await measureFlow(table, { server, browser, database }, `${size} grants`);
        await addActivity(table, database, { size, before });
        await addSizes(table, database, size);
      }
      await duringSweep(table, server, browser, database);
    } finally {
      await database.end();
    }
  });
  const [few, many] = [`${sizes[0]} grants`, `${sizes.at(-1)} grants`];
  for (const kind of ['authorize, signed in', 'code exchange', 'refresh', 'introspection of a reference token']) {
    const cpu = (size) => {
      const { node, postgres } = table.rows.find(({ name }) => name === `${size}: ${kind}`).cpu;
      return node + postgres;
    };
    table.ratio(`${kind}: CPU with ${many} / with ${few}`, cpu(many) / cpu(few));
  }
}

async function measureFlow(table, { server, browser, database }, size) {
  const measure = async (kind, next) => {
    const before = await written(database);
    await table.measureInTurn([{ name: `${size}: ${kind}`, server, next }], { requests: steps });
    // As many requests warm up.
    table.ratio(`${size}: bytes of WAL of ${kind}`, ((await written(database)) - before) / (2 * steps));
  };
  await measure('authorize, signed in', () => ({ ...browser.authorization().request, expected: 303 }));
  const exchanges = await codeExchanges(browser, 2 * steps);
  await measure('code exchange', (index) => exchanges[index]);
  await measure('refresh', await refreshes(server, browser));
  const { path, ...init } = bySecret('reference')();
  const { access_token: token } = await (await fetch(server.origin + path, init)).json();
  const ask = post('/connect/introspect', { token }, { authorization: basic('reference') });
  await measure('introspection of a reference token', () => ask);
}

/** Refreshes while a node removes the expired rows of others, which it begins to do within a minute. */
async function duringSweep(table, server, browser, database) {
  const next = await refreshes(server, browser);
  await database.query(
    `UPDATE oidc_record SET expires_at = now() WHERE ctid IN
       (SELECT ctid FROM oidc_record WHERE model = 'RefreshToken' AND client_id = 'other' LIMIT $1)`,
    [expired],
  );
  const left = async () =>
    Number((await database.query('SELECT count(*) FROM oidc_record WHERE expires_at <= now()')).rows[0].count);
  const all = await left();
  while ((await left()) === all) await sleep(100);
  await table.measureInTurn([{ name: `refresh, while ${all} expired rows are removed`, server, next }], {
    requests: steps,
  });
}

/** Copies of the records of one flow, each of another user and grant, until there are so many grants. */
async function fill(database, size) {
  await database.query(
    `INSERT INTO oidc_record (model, id_hash, payload, grant_id, account_id, client_id, uid, expires_at)
     SELECT model, md5(model || i) || left(md5(i::text), 11), payload,
            CASE WHEN grant_id IS NOT NULL THEN 'other-' || i END, md5(i::text)::uuid,
            CASE WHEN client_id IS NOT NULL THEN 'other' END, CASE WHEN uid IS NOT NULL THEN 'other-' || i END,
            now() + interval '1 day' + i % 86400 * interval '1 second'
       FROM (SELECT DISTINCT ON (model) * FROM oidc_record
              WHERE model IN ('Session', 'Grant', 'RefreshToken') AND client_id IS DISTINCT FROM 'other'
              ORDER BY model) AS pattern,
            generate_series((SELECT count(*) + 1 FROM oidc_record WHERE model = 'Grant' AND client_id = 'other'), $1::int) AS i`,
    [size],
  );
  // PostgreSQL does the same by itself within a minute.
  await database.query('VACUUM ANALYZE oidc_record');
}

/** The bytes of WAL that the server has written so far. */
async function written(database) {
  return Number((await database.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes")).rows[0].bytes);
}

/** The counters of the tables so far. */
async function activity(database) {
  // A connection that is idle reports after ten seconds at the latest.
  await sleep(11_000);
  const { rows } = await database.query(
    `SELECT relname AS name, coalesce(seq_scan, 0) AS "seqScans", n_tup_upd AS updates, n_tup_hot_upd AS hot
       FROM pg_stat_user_tables`,
  );
  return new Map(rows.map(({ name, ...counts }) => [name, counts]));
}

/** The updates without changes of an index (HOT), and the reads of whole tables, during one measurement. */
async function addActivity(table, database, { size, before }) {
  for (const [name, after] of await activity(database)) {
    const since = (key) => after[key] - before.get(name)[key];
    const updates = since('updates');
    if (updates >= steps) table.ratio(`${size} grants: share of HOT updates of ${name}`, since('hot') / updates);
    if (name === 'oidc_record') table.ratio(`${size} grants: reads of all of ${name}`, since('seqScans'));
  }
}

/** The bytes that a grant with its session and refresh token takes. */
async function addSizes(table, database, size) {
  const { rows } = await database.query(
    `SELECT relname AS name, pg_table_size(relid) AS rows, pg_indexes_size(relid) AS indexes
       FROM pg_stat_user_tables WHERE pg_table_size(relid) > 10000000
     UNION ALL
     SELECT indexrelname, pg_relation_size(indexrelid), NULL
       FROM pg_stat_user_indexes WHERE pg_relation_size(indexrelid) > 10000000`,
  );
  for (const { name, rows: own, indexes } of rows) {
    table.ratio(`${size} grants: MB of ${name}${indexes === null ? '' : ', rows'}`, own / 1e6);
    if (indexes !== null) table.ratio(`${size} grants: MB of ${name}, indexes`, indexes / 1e6);
  }
}
