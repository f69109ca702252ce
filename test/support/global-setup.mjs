import '../../scripts/typescript.mjs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/**
 * Starts one PostgreSQL for the whole run, with one migrated database that every test file copies. Jest loads this file
 * before its own transformer, hence the loader and the late imports.
 */
export default async function setUp() {
  const { startEmbeddedPostgres } = await import('../../src/platform/database/embedded-postgres.ts');
  const { migrate } = await import('../../src/platform/database/migrate.ts');
  const log = { info: () => undefined, error: (message) => process.stderr.write(`${message}\n`) };
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, log, durability: 'test' });
  const admin = new pg.Client(postgres.connection);
  await admin.connect();
  await admin.query('CREATE DATABASE gatehouse_template');
  await admin.end();
  await migrate({ ...postgres.connection, database: 'gatehouse_template' });
  process.env.GATEHOUSE_TEST_DATABASE = JSON.stringify(postgres.connection);
  globalThis.gatehouseTestRun = { postgres, dataDir };
}
