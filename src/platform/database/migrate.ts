import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { type PostgresConnection, typeOrmConnection } from './connection.js';
import type { Database } from './database.js';
import { refuseReadOnly } from './read-only.js';

/** The number is arbitrary, but every node must use the same one. */
const migrationLock = 4_712_051;
const pollMs = 100;

export interface MigrationWait {
  /** Tells the operator the reason of the wait. */
  say?: (message: string) => void;
  sayAfterMs?: number;
  /** A migration of a large table takes minutes. */
  giveUpAfterMs?: number;
}

/**
 * Migrates the schema to this version. One node migrates while the others wait (advisory lock); each migration is a
 * transaction, so that a killed one starts over. Without pending migrations no lock is taken.
 *
 * The lock is held by an open transaction and ends with it. A session lock would stay for ever behind a pooler, which
 * keeps the session when its client has gone.
 */
export async function migrate(connection: PostgresConnection, wait: MigrationWait = {}): Promise<void> {
  const lock = new pg.Client(connection);
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await refuseReadOnly(lock);
    if (await isComplete(lock)) return;
    await takeLock(lock, wait);
    if (!(await isComplete(lock))) await run(connection);
    await lock.query('COMMIT');
  } finally {
    await lock.end();
  }
}

/** True if the schema has all migrations of this version; a newer schema has more. */
export async function isMigrated(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ name: string }>('SELECT name FROM migrations');
  return hasAll(rows);
}

/** The numbers of migrations of this version that are pending, and of migrations that this version does not know. */
export async function migrationState(database: Database): Promise<{ pending: number; unknown: number }> {
  const { rows: tables } = await database.query<{ found: string | null }>("SELECT to_regclass('migrations') AS found");
  const { rows } = tables[0]?.found
    ? await database.query<{ name: string }>('SELECT name FROM migrations')
    : { rows: [] };
  const done = new Set(rows.map(({ name }) => name));
  const known = Object.keys(migrations);
  return {
    pending: known.filter((name) => !done.has(name)).length,
    unknown: [...done].filter((name) => !known.includes(name)).length,
  };
}

async function isComplete(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query<{ found: string | null }>("SELECT to_regclass('migrations') AS found");
  if (!tables[0]?.found) return false;
  return hasAll((await client.query<{ name: string }>('SELECT name FROM migrations')).rows);
}

function hasAll(rows: { name: string }[]): boolean {
  const done = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => done.has(name));
}

/**
 * Begins the transaction that holds the lock. Asks for it again and again, each time in a transaction of its own: a statement that
 * waits would keep its snapshot, for whose end a migration that creates an index concurrently waits.
 */
async function takeLock(client: pg.Client, wait: MigrationWait): Promise<void> {
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

async function run(connection: PostgresConnection): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    ...typeOrmConnection(connection),
    migrations: Object.values(migrations),
    migrationsTransactionMode: 'each',
  });
  await source.initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}
