import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrate.js';
import { createDatabase } from '../../support/database/database.js';
import { withMigrations } from '../../support/database/earlier-schema.js';
import { until } from '../../support/until.js';

const before = 1763700000059;
const [indexes, archives] = [1763700000060, 1763700000062];

/** The statements of the last version without partitions. */
const previous = {
  event: `WITH event AS (
      INSERT INTO audit_event (type, outcome, user_id, client_id, subject, detail, address, correlation_id)
      VALUES ('login', 'success', $1, NULL, NULL, '{}', NULL, NULL) RETURNING id)
    INSERT INTO audit_unsealed SELECT id FROM event`,
  accesses: `WITH input AS (
      SELECT * FROM jsonb_to_recordset(jsonb_build_array(jsonb_build_object('userId', $1::text))) AS event ("userId" text)
    ), numbered AS (
      SELECT nextval(pg_get_serial_sequence('audit_event', 'id')) AS id, * FROM input
    ), event AS (
      INSERT INTO audit_event (id, recorded_at, type, outcome, user_id, client_id, subject, detail, address, correlation_id)
      OVERRIDING SYSTEM VALUE
      SELECT id, clock_timestamp() - make_interval(secs => 0.2), 'record.accessed', 'success', "userId", NULL, NULL, '{}', NULL, NULL
        FROM numbered
    )
    INSERT INTO audit_unsealed SELECT id FROM numbered`,
};

let client: pg.Client;
let connection: Awaited<ReturnType<typeof createDatabase>>['connection'];
let drop: () => Promise<void>;

let earlier: Awaited<ReturnType<typeof createDatabase>>;

beforeAll(async () => {
  earlier = await createDatabase({ empty: true });
  await withMigrations(earlier.connection, before, (source) => source.runMigrations());
});
afterAll(() => earlier.drop());

/** A database of the previous version, with an event of each of the last 400 days. */
beforeEach(async () => {
  ({ connection, drop } = await createDatabase({ template: earlier.connection.database }));
  client = await connect();
  await client.query(`
    WITH event AS (
      INSERT INTO audit_event (recorded_at, type, outcome, user_id)
      SELECT now() - make_interval(days => day), 'login', 'success', 'user' FROM generate_series(400, 1, -1) AS day RETURNING id)
    INSERT INTO audit_unsealed SELECT id FROM event`);
});
afterEach(async () => {
  await client.end();
  await drop();
});

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client(connection);
  await opened.connect();
  return opened;
}

/** Records events as a node of the previous version does, until it is stopped; returns their number. */
function previousNode(): { recorded: () => number; stop: () => Promise<number> } {
  let [recorded, isStopped] = [0, false];
  const running = (async () => {
    const node = await connect();
    try {
      while (!isStopped) {
        for (const sql of Object.values(previous)) {
          await node.query(sql, ['node']);
          recorded += 1;
        }
      }
    } finally {
      await node.end();
    }
  })();
  return {
    recorded: () => recorded,
    async stop() {
      isStopped = true;
      await running;
      return recorded;
    },
  };
}

const partitions = () =>
  client
    .query<{ name: string }>('SELECT name FROM audit_partition ORDER BY to_at')
    .then(({ rows }) => rows.map(({ name }) => name));
const facts = () =>
  client
    .query(
      `SELECT count(*)::int AS events, count(DISTINCT id)::int AS ids, (SELECT count(*)::int FROM audit_unsealed) AS unsealed
         FROM audit_event`,
    )
    .then(({ rows }) => rows[0]);
/** The first day of the month after the current one and some more (UTC). */
const monthAhead = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
};

describe('R-11 The partitions of the audit record', () => {
  it('begin with the events from before, while nodes of the previous version record', async () => {
    const nodes = [previousNode(), previousNode(), previousNode()];
    await until(() => nodes.every((node) => node.recorded() > 10));
    await migrate(connection);
    const then = nodes.map((node) => node.recorded());
    await until(() => nodes.every((node, index) => node.recorded() > (then[index] ?? 0) + 10));
    const recorded = (await Promise.all(nodes.map((node) => node.stop()))).reduce((sum, count) => sum + count);
    const events = recorded + 400;
    expect(await facts()).toEqual({ events, ids: events, unsealed: events });
    expect((await partitions())[0]).toBe('audit_event_carried');
    const constraints = await client.query("SELECT FROM pg_constraint WHERE conname = 'audit_event_carried_range'");
    expect(constraints.rows).toEqual([]);
  });

  it('wait for a session that reads the record for long, and nodes record meanwhile', async () => {
    const backup = await connect();
    await backup.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await backup.query('SELECT count(*) FROM audit_event');
    const migrated = migrate(connection);
    const node = previousNode();
    await until(async () => {
      const { rows } = await client.query(
        "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'audit_event'::regclass",
      );
      return rows.length > 0;
    });
    const then = node.recorded();
    await until(() => node.recorded() > then + 50);
    await backup.query('COMMIT');
    await migrated;
    await node.stop();
    expect((await partitions()).length).toBeGreaterThan(2);
    await backup.end();
  });

  it('refuse changes, also when they are named directly or were made later', async () => {
    await migrate(connection);
    const made = await partitions();
    await client.query('SELECT make_audit_partition($1)', [monthAhead(9)]);
    const tables = ['audit_event', ...(await partitions())];
    // In the last week of a month the carried events reach to the end of the next one.
    expect(made.length).toBeGreaterThan(2);
    expect(tables).toHaveLength(made.length + 2);
    for (const table of tables) {
      for (const sql of [`UPDATE ${table} SET type = 'x'`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
        await expect(client.query(sql)).rejects.toThrow('the audit record is append-only');
    }
  });

  it('are made once by nodes that make them at the same time, while events of those months are recorded', async () => {
    await migrate(connection);
    const nodes = await Promise.all(Array.from({ length: 6 }, connect));
    const months = [6, 7, 8, 9].map(monthAhead);
    await Promise.all(
      nodes.map(async (node) => {
        for (const month of months) {
          await node.query('SELECT make_audit_partition($1)', [month]);
          // The last moment of the month before and the first one of the month.
          for (const at of month === months[0] ? [month] : [new Date(Number(month) - 1), month])
            await node.query("INSERT INTO audit_event (recorded_at, type, outcome) VALUES ($1, 'login', 'success')", [
              at,
            ]);
        }
      }),
    );
    await Promise.all(nodes.map((node) => node.end()));
    const { rows } = await client.query(
      `SELECT tableoid::regclass::text AS name, count(*)::int AS count FROM audit_event WHERE recorded_at >= $1
        GROUP BY 1 ORDER BY 1`,
      [months[0]],
    );
    expect(rows).toEqual(
      months.map((month, index) => ({
        name: `audit_event_${month.toISOString().slice(0, 7).replace('-', '_')}`,
        count: index < 3 ? 12 : 6,
      })),
    );
  });

  it('have the indexes of the record, as each other', async () => {
    await migrate(connection);
    const { rows } = await client.query<{ name: string; indexes: string[] }>(`
      SELECT relid::regclass::text AS name,
             array_agg(regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', 'USING') ORDER BY 1) AS indexes
        FROM pg_partition_tree('audit_event') JOIN pg_index ON indrelid = relid WHERE indisvalid GROUP BY relid`);
    const own = rows.find(({ name }) => name === 'audit_event')?.indexes.sort();
    expect(own).toHaveLength(11);
    for (const { name, indexes: found } of rows) expect([name, found.sort()]).toEqual([name, own]);
  });

  it('have statistics of patients, which tell the events of one apart from those of a month', async () => {
    await migrate(connection);
    await client.query('SELECT make_audit_partition($1)', [monthAhead(9)]);
    await client.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, detail)
       SELECT $1::timestamptz + make_interval(mins => i), 'record.accessed', 'success', jsonb_build_object('patients', jsonb_build_array('p-' || i % 1000))
         FROM generate_series(1, 40000) AS i`,
      [monthAhead(9)],
    );
    await client.query('ANALYZE audit_event');
    const estimate = async (patient: string) => {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
        `EXPLAIN (FORMAT JSON) SELECT FROM audit_event
          WHERE recorded_at >= '${monthAhead(9).toISOString()}'
            AND coalesce(detail -> 'patients', detail -> 'patient') @> '"${patient}"'`,
      );
      return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? Number.NaN;
    };
    // One of ten patients is a bound of the histogram by chance, and is overestimated.
    const estimates = await Promise.all(Array.from({ length: 21 }, (_, index) => estimate(`p-${index}`)));
    expect(estimates.sort((one, other) => one - other)[10]).toBeLessThan(100);
    const { rows: without } = await client.query(
      `SELECT relid::regclass FROM pg_partition_tree('audit_event') LEFT JOIN pg_statistic_ext ON stxrelid = relid WHERE stxrelid IS NULL`,
    );
    expect(without).toEqual([]);
  });

  it('can be undone: the events are in one table again, and ids go on', async () => {
    await withMigrations(connection, archives, (source) => source.runMigrations());
    await client.query(
      "INSERT INTO audit_event (recorded_at, type, outcome) VALUES ($1, 'login', 'success'), (now(), 'login', 'success')",
      [monthAhead(2)],
    );
    const ids = () => client.query('SELECT id, recorded_at FROM audit_event ORDER BY id').then(({ rows }) => rows);
    const known = await ids();
    for (let number = archives; number >= indexes; number -= 1)
      await withMigrations(connection, number, (source) => source.undoLastMigration());
    expect(await ids()).toEqual(known);
    await client.query(previous.event, ['node']);
    await client.query(previous.accesses, ['node']);
    expect(await ids()).toHaveLength(known.length + 2);
    await migrate(connection);
    expect(await ids()).toHaveLength(known.length + 2);
  });
});
