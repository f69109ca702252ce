import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { productVersion } from '../process/product.js';
import type { Asked } from './connection.js';
import { type PostgresConnection, typeOrmConnection } from './connection.js';

import { refuseReadOnly } from './read-only.js';

/** The number is arbitrary, but every node must use the same one. */
const migrationLock = 4_712_051;
const pollMs = 100;
/**
 * A migration waits for the locks of a table so long, and all sessions that use the table later wait behind it; then it
 * lets them pass and tries again.
 */
const lockWait = "SET lock_timeout = '3s'";
const notAvailable = '55P03';
const numberOf = (name: string) => Number(name.slice(-13));
/** The names of the migrations of this version, in their order; the built file lists its exports by the alphabet. */
export const known = Object.keys(migrations).sort((a, b) => numberOf(a) - numberOf(b));
export interface MigrationWait {
  /** Tells the operator the reason of the wait. */
  say?: (message: string) => void;
  sayAfterMs?: number;
  /** A migration of a large table takes minutes. */
  giveUpAfterMs?: number;
}

/**
 * Migrates the schema to this version, and returns the names of the migrations that it ran. One node migrates while the
 * others wait (advisory lock); each migration is a transaction, so that a killed one starts over. Without pending
 * migrations no lock is taken. Refuses a schema that this release cannot serve.
 *
 * The lock is held by an open transaction and ends with it. A session lock would stay for ever behind a pooler, which
 * keeps the session when its client has gone.
 */
export async function migrate(connection: PostgresConnection, wait: MigrationWait = {}): Promise<string[]> {
  return withClient(connection, async (lock) => {
    await refuseReadOnly(lock);
    await refuseContracted(lock);
    if (await isComplete(lock)) return [];
    await takeMigrationLock(lock, wait);
    await refuseContracted(lock);
    const done = await migrationsDone(lock);
    const pending = known.filter((name) => !done.includes(name));
    if (pending.length > 0) await run(connection, wait);
    await lock.query('COMMIT');
    return pending;
  });
}

/**
 * True if the schema has all migrations of this version, and none that this version cannot serve; a newer schema has
 * more.
 */
export async function isServed(asked: Asked): Promise<boolean> {
  const { rows } = await asked.query<{ name: string }>('SELECT name FROM migrations');
  if (!hasAll(rows)) return false;
  return latestNeeded((await asked.query<Contraction>('SELECT * FROM contraction')).rows) === undefined;
}

/**
 * A change of the schema that only nodes with the migration `needs` can serve; the first release that has it is
 * `release`.
 */
interface Contraction {
  migration: string;
  release: string;
  needs: string;
}

function latestNeeded(contractions: Contraction[]): string | undefined {
  return contractions
    .filter(({ needs }) => !known.includes(needs))
    .sort((a, b) => numberOf(a.migration) - numberOf(b.migration))
    .at(-1)?.release;
}

/**
 * The numbers of migrations of this version that are pending, and of migrations that this version does not know.
 * `isEmpty`: no migration was ever run.
 */
export async function migrationState(asked: Asked): Promise<{ pending: number; unknown: number; isEmpty: boolean }> {
  const { rows: tables } = await asked.query<{ found: string | null }>("SELECT to_regclass('migrations') AS found");
  const { rows } = tables[0]?.found ? await asked.query<{ name: string }>('SELECT name FROM migrations') : { rows: [] };
  const done = new Set(rows.map(({ name }) => name));
  return {
    pending: known.filter((name) => !done.has(name)).length,
    unknown: [...done].filter((name) => !known.includes(name)).length,
    isEmpty: done.size === 0,
  };
}

/**
 * The names of the migrations that a schema has, in the order in which they were run. Without parameters, as all
 * statements under the lock: with some, the statement would stay open, and keep its snapshot (see
 * {@link takeMigrationLock}), until the next one.
 */
export async function migrationsDone(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('migrations') AS found");
  if (!tables[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** The first release that can serve the schema, if this one cannot. */
export async function releaseNeeded(client: pg.Client): Promise<string | undefined> {
  const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('contraction') AS found");
  if (!tables[0]?.found) return undefined;
  return latestNeeded((await client.query<Contraction>('SELECT * FROM contraction')).rows);
}

async function refuseContracted(client: pg.Client): Promise<void> {
  const needed = await releaseNeeded(client);
  if (needed !== undefined)
    throw new Error(
      `a later release has changed its schema, which this release (${productVersion}) cannot serve: start release ` +
        `${needed} or a later one, or restore the backup from before the upgrade`,
    );
}

async function isComplete(client: pg.Client): Promise<boolean> {
  return hasAll((await migrationsDone(client)).map((name) => ({ name })));
}

function hasAll(rows: { name: string }[]): boolean {
  const done = new Set(rows.map(({ name }) => name));
  return known.every((name) => done.has(name));
}

/**
 * Begins the transaction that holds the lock. Asks for it again and again, each time in a transaction of its own: a
 * statement that waits would keep its snapshot, for whose end a migration that creates an index concurrently waits.
 */
export async function takeMigrationLock(client: pg.Client, wait: MigrationWait): Promise<void> {
  const { say = () => undefined, sayAfterMs = 5_000, giveUpAfterMs = 600_000 } = wait;
  const began = performance.now();
  const timer = setTimeout(() => say("waiting for another node's migration"), sayAfterMs);
  try {
    do {
      await client.query('BEGIN');
      // Time-outs that the database sets for other sessions must not end the transaction that holds the lock.
      const { rows } = await client.query<{ mine: boolean }>(
        `SELECT pg_try_advisory_xact_lock($1) AS mine, set_config('statement_timeout', '0', true),
                set_config('idle_in_transaction_session_timeout', '0', true)`,
        [migrationLock],
      );
      if (rows[0]?.mine) return;
      await client.query('ROLLBACK');
      await sleep(pollMs);
    } while (performance.now() - began < giveUpAfterMs);
  } finally {
    clearTimeout(timer);
  }
  throw new Error(
    `another node has held the lock for migrations for ${Math.round(giveUpAfterMs / 1000)} seconds; look for its ` +
      `connection with SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${migrationLock}`,
  );
}

async function run(connection: PostgresConnection, wait: MigrationWait): Promise<void> {
  const { say = () => undefined, giveUpAfterMs = 600_000 } = wait;
  const began = performance.now();
  await withMigrations(
    connection,
    async (source) => {
      for (let hasSaid = false; ; hasSaid = true) {
        try {
          await source.runMigrations();
          return;
        } catch (error) {
          const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
          if (code !== notAvailable || performance.now() - began > giveUpAfterMs) throw error;
          if (!hasSaid) say('a migration waits for sessions that use its tables for long, such as a backup');
          await sleep(pollMs);
        }
      }
    },
    { first: lockWait },
  );
}

/**
 * Makes the schema that these migrations of this version make together, in an empty database. The caller holds the
 * lock.
 */
export async function makeSchema(connection: PostgresConnection, names: readonly string[]): Promise<void> {
  await withMigrations(connection, (source) => source.runMigrations(), { names });
}

/**
 * Runs `work` with a source that knows the migrations of this version, or those of `names`, on connections of its own,
 * which begin with `first`.
 */
export async function withMigrations<T>(
  connection: PostgresConnection,
  work: (source: DataSource) => Promise<T>,
  { first = 'SELECT', names = known }: { first?: string; names?: readonly string[] } = {},
): Promise<T> {
  const source = new DataSource({
    type: 'postgres',
    ...typeOrmConnection(connection),
    migrations: Object.entries(migrations).flatMap(([name, one]) =>
      names.includes(name) ? [waiting(one, first)] : [],
    ),
    migrationsTransactionMode: 'each',
    extra: { onConnect: (client: pg.ClientBase) => client.query(first) },
  });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/**
 * One outside of a transaction waits without making others wait: for other transactions, to create an index
 * concurrently.
 */
function waiting(Migration: new () => MigrationInterface, first: string): new () => MigrationInterface {
  if (new Migration().transaction !== false) return Migration;
  return class extends Migration {
    override async up(runner: QueryRunner): Promise<void> {
      await runner.query('SET lock_timeout = 0');
      await super.up(runner);
      await runner.query(first);
    }
  };
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(
  connection: PostgresConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
