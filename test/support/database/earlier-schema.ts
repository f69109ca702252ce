import { DataSource } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import type { TestConnection } from './database.js';

/** Runs `work` with a source that knows the migrations up to this number. */
export async function withMigrations(
  connection: TestConnection,
  last: number,
  work: (source: DataSource) => Promise<unknown>,
): Promise<void> {
  const upTo = Object.values(migrations).filter(({ name }) => Number(name.slice(-13)) <= last);
  const source = new DataSource({
    type: 'postgres',
    ...typeOrmConnection(connection),
    migrations: upTo,
    migrationsTransactionMode: 'each',
  });
  await source.initialize();
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}
