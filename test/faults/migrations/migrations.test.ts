import pg from 'pg';
import * as migrations from '../../../migrations/index.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { isLong } from '../../support/runs.js';

/** Each attempt begins with an empty database, so the usual run interrupts every twelfth statement only. */
const every = isLong ? 1 : 12;

async function withEmpty(work: (connection: TestConnection) => Promise<void>): Promise<void> {
  const { connection, drop } = await createDatabase({ empty: true });
  try {
    await work(connection);
  } finally {
    await drop();
  }
}

/** The definitions of a schema, as text. */
async function schemaOf(connection: TestConnection): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ line: string }>(`
    SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p
      WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c')
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'migration ' || name FROM migrations ORDER BY 1`);
  await client.end();
  return rows.map(({ line }) => line);
}

let expected: string[];

beforeAll(async () => {
  const { connection, drop } = await createDatabase();
  expected = await schemaOf(connection);
  await drop();
});

describe('R-11 A migration of the schema', () => {
  it('is completed by the next start, whenever the previous one was killed', async () => {
    let wasKilled = true;
    let tried = 0;
    for (let statement = 0; wasKilled; statement += every) {
      tried += 1;
      await withEmpty(async (connection) => {
        let left = statement;
        const proxy = new DatabaseProxy(connection, () => {
          if (left === 0) proxy.breakAll();
          left -= 1;
        });
        const reached = await proxy.open();
        await migrate(reached).catch(() => undefined);
        await proxy.shut();
        wasKilled = left < 0;
        await migrate(connection);
        expect(await schemaOf(connection)).toEqual(expected);
      });
    }
    expect(tried).toBeGreaterThan(5);
  });

  it('is run by one of two nodes that start together, while the other waits', () =>
    withEmpty(async (connection) => {
      const heard: string[][] = [[], []];
      const doors = heard.map((statements) => new DatabaseProxy(connection, (sql) => statements.push(sql)));
      const [one, other] = (await Promise.all(doors.map((proxy) => proxy.open()))) as [TestConnection, TestConnection];
      await Promise.all([migrate(one), migrate(other)]);
      await Promise.all(doors.map((proxy) => proxy.shut()));
      expect(await schemaOf(connection)).toEqual(expected);
      const noted = heard.map((statements) => statements.filter((sql) => /^INSERT INTO "migrations"/.test(sql)).length);
      expect(noted.sort()).toEqual([0, Object.keys(migrations).length].sort());
    }));
});
