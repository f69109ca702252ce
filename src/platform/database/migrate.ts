import pg from 'pg';
import { DataSource } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { type PostgresConnection, typeOrmConnection } from './connection.js';
import type { Database } from './database.js';
import { refuseReadOnly } from './read-only.js';

/** Any number will do as long as every node uses the same. */
const migrationLock = 4_712_051;

/**
 * Brings the schema up to date. One node migrates while the others wait (advisory lock); each migration is a transaction,
 * so that one that was killed starts over.
 */
export async function migrate(connection: PostgresConnection): Promise<void> {
  const lock = new pg.Client(connection);
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await refuseReadOnly(lock);
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
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
  } finally {
    await lock.end();
  }
}

/** Whether the schema has all that this version needs; a newer one has more. */
export async function isMigrated(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ name: string }>('SELECT name FROM migrations');
  const done = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => done.has(name));
}
