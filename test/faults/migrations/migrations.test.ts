import pg from 'pg';
import * as migrations from '../../../migrations/index.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { withMigrations } from '../../support/database/earlier-schema.js';
import { schemaOf } from '../../support/database/schema.js';
import { itInLongRun } from '../../support/runs.js';
import { until } from '../../support/until.js';

async function withEmpty(work: (connection: TestConnection) => Promise<void>): Promise<void> {
  const { connection, drop } = await createDatabase({ empty: true });
  try {
    await work(connection);
  } finally {
    await drop();
  }
}

/** Migrates by a node that is killed before this statement; false if it has completed before. */
async function isKilledAt(statement: number, connection: TestConnection): Promise<boolean> {
  let left = statement;
  const proxy = new DatabaseProxy(connection, () => {
    if (left === 0) proxy.breakAll();
    left -= 1;
  });
  const reached = await proxy.open();
  await migrate(reached).catch((error: unknown) => {
    if (left >= 0) throw error;
  });
  await proxy.shut();
  return left < 0;
}

let expected: string[];

beforeAll(async () => {
  const { connection, drop } = await createDatabase();
  expected = await schemaOf(connection);
  await drop();
});

describe('R-11 A migration of the schema', () => {
  it('is completed in the end, although each start is killed, one statement later than the one before', () =>
    withEmpty(async (connection) => {
      let starts = 0;
      while (await isKilledAt(starts, connection)) starts += 1;
      expect(starts).toBeGreaterThan(30);
      expect(await schemaOf(connection)).toEqual(expected);
    }));

  // Each attempt migrates an empty database twice.
  itInLongRun('is completed by the next start, whenever the previous one was killed', async () => {
    let wasKilled = true;
    for (let statement = 0; wasKilled; statement += 1) {
      await withEmpty(async (connection) => {
        wasKilled = await isKilledAt(statement, connection);
        await migrate(connection);
        expect(await schemaOf(connection)).toEqual(expected);
      });
    }
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

  it('lets other sessions use a table while it waits for one that uses the table for long', () =>
    withEmpty(async (connection) => {
      await withMigrations(connection, 1763700000064, (source) => source.runMigrations());
      const [backup, node] = [new pg.Client(connection), new pg.Client(connection)];
      await Promise.all([backup.connect(), node.connect()]);
      await backup.query('BEGIN; SELECT FROM account_link');
      const said: string[] = [];
      const migrated = migrate(connection, { say: (message) => said.push(message) });
      const isWaiting = async () => {
        const { rows } = await node.query(
          "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'account_link'::regclass",
        );
        return rows.length > 0;
      };
      for (let pass = 0; pass < 2; pass += 1) {
        await until(isWaiting);
        await node.query('SELECT FROM account_link');
      }
      expect(said).toEqual(['a migration waits for sessions that use its tables for long, such as a backup']);
      await backup.query('COMMIT');
      await migrated;
      expect(await schemaOf(connection)).toEqual(expected);
      await Promise.all([backup.end(), node.end()]);
    }));
});
