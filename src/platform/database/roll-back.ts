import type pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { counted } from '../../contract/messages/counted.js';
import type { PostgresConnection } from './connection.js';
import { known, type MigrationWait, migrationsDone, takeMigrationLock, withClient, withMigrations } from './migrate.js';
import { nodesByRelease } from './notifications.js';
import type { Release } from './releases.js';

/** The reason why a schema stays as it is. */
export class RollbackRefused extends Error {}

/**
 * A migration can name tables and columns (`table.column`) whose contents no release misses: caches, tallies, presence.
 */
type OwnMigration = MigrationInterface & { name: string; disposable?: string[] };

/** Tables and columns of a schema, each with the condition under which a row holds something in it. */
type Contents = Map<string, { table: string; condition: string }>;

/** The names of the migrations that the release before does not know, last first. */
export function migrationsSince(release: Release, done: string[]): string[] {
  return done.filter((name) => !release.migrations.includes(name)).reverse();
}

/**
 * Undoes the migrations that the release before does not know, in one transaction, and returns their names. Refuses
 * while nodes of another release use the schema, and where data would be lost: all that the undone migrations have
 * added must be empty.
 */
export async function rollBack(
  connection: PostgresConnection,
  release: Release,
  wait: MigrationWait = {},
): Promise<string[]> {
  return withClient(connection, async (lock) => {
    await takeMigrationLock(lock, wait);
    const undone = migrationsSince(release, await migrationsDone(lock));
    const unknown = undone.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new RollbackRefused(`A later release has migrated the schema (${unknown.join(', ')}): use its command.`);
    if (undone.length > 0) {
      await refuseOtherNodes(lock, release);
      await withMigrations(connection, (source) => undo(source.createQueryRunner(), source.migrations, undone));
    }
    await lock.query('COMMIT');
    return undone;
  });
}

async function refuseOtherNodes(client: pg.Client, release: Release): Promise<void> {
  const others = (await nodesByRelease(client)).filter(({ version }) => version !== release.version);
  if (others.length === 0) return;
  const running = others.map(({ version, nodes }) => `${nodes} of ${version}`).join(', ');
  throw new RollbackRefused(
    `Nodes that are not of ${release.version} use the schema (${running}): replace them by nodes of ${release.version} first, which can serve it as it is.`,
  );
}

async function undo(runner: QueryRunner, migrations: MigrationInterface[], undone: string[]): Promise<void> {
  const own = new Map((migrations as OwnMigration[]).map((migration) => [migration.name, migration]));
  const list = undone.flatMap((name) => own.get(name) ?? []);
  const down = async () => {
    for (const migration of list) await migration.down(runner);
  };
  await runner.startTransaction();
  try {
    // A session that uses a table for long, such as a backup, must not make all others wait behind this one.
    await runner.query("SELECT set_config('lock_timeout', '5000', true), set_config('statement_timeout', '0', true)");
    const disposable = new Set(list.flatMap((migration) => migration.disposable ?? []));
    const lost = await lostBy(runner, down, disposable);
    if (lost.length > 0) throw new RollbackRefused(`Data would be lost: ${lost.join('; ')}.`);
    await down();
    await runner.query('DELETE FROM migrations WHERE name = ANY ($1)', [undone]);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    const { code, table } = (error as { driverError?: { code?: string; table?: string } }).driverError ?? {};
    if (code === '55P03')
      throw new RollbackRefused(
        `Another session uses a table of the schema (${table ?? 'such as a backup'}): try again after it.`,
      );
    throw error;
  } finally {
    await runner.release();
  }
}

/**
 * Runs `down`, takes it back, and returns what it would lose. Tables that would lose something stay locked against
 * changes.
 */
async function lostBy(runner: QueryRunner, down: () => Promise<void>, disposable: Set<string>): Promise<string[]> {
  const before = await contents(runner);
  await runner.query('SAVEPOINT tried');
  await down();
  const after = await contents(runner);
  const deleted: { name: string; rows: string }[] = await runner.query(
    `SELECT relname AS name, n_tup_del::text AS rows FROM pg_stat_xact_user_tables
      WHERE n_tup_del > 0 AND schemaname = current_schema() ORDER BY 1`,
  );
  await runner.query('ROLLBACK TO SAVEPOINT tried');
  const lost = deleted
    .filter(({ name }) => !disposable.has(name))
    .map(({ name, rows }) => `${name} would lose ${counted(Number(rows), 'row')}`);
  for (const [name, { table, condition }] of before) {
    if (after.has(name) || disposable.has(name) || disposable.has(table)) continue;
    // The columns of a table that goes are lost with its rows.
    if (name !== table && !after.has(table)) continue;
    await runner.query(`LOCK TABLE "${table}" IN SHARE ROW EXCLUSIVE MODE`);
    const [{ rows }] = await runner.query(`SELECT count(*)::text AS rows FROM "${table}" WHERE ${condition}`);
    if (rows !== '0') lost.push(`${name} has ${counted(Number(rows), 'row')}`);
  }
  return lost;
}

/** Generated columns hold nothing of their own, and a partition has what its table has. */
async function contents(runner: QueryRunner): Promise<Contents> {
  const rows: { table: string; column: string | null; standard: string | null }[] = await runner.query(`
    SELECT relname AS "table", NULL AS "column", NULL AS standard FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    UNION ALL
    SELECT relname, attname, pg_get_expr(adbin, adrelid) FROM pg_class
      JOIN pg_attribute ON attrelid = pg_class.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     ORDER BY 1, 2 NULLS FIRST`);
  return new Map(
    rows.map(({ table, column, standard }) =>
      column === null
        ? [table, { table, condition: 'true' }]
        : [`${table}.${column}`, { table, condition: `"${column}" IS DISTINCT FROM (${standard ?? 'NULL'})` }],
    ),
  );
}
