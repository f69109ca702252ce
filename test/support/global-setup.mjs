import '../../scripts/typescript.mjs';
import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testPackage } from '../../scripts/test/postgres-versions.mjs';

const memoryFolder = '/dev/shm';
/** A run writes a quarter of it. */
const neededBytes = 6 * 2 ** 30;

/**
 * Starts one PostgreSQL for the whole run, with one migrated database that every test file copies. Jest loads this file
 * before its own transformer, hence the loader and the late imports.
 */
export default async function setUp() {
  const { startEmbeddedPostgres } = await import('../../src/platform/database/embedded-postgres.ts');
  const { migrate } = await import('../../src/platform/database/migrate.ts');
  const log = { info: () => undefined, error: (message) => process.stderr.write(`${message}\n`) };
  const folder = await mkdtemp(join((await hasRoomInMemory()) ? memoryFolder : tmpdir(), 'gatehouse-test-'));
  // Processes of other users have files in it, as they have in the folder that it replaces.
  await chmod(folder, 0o1777);
  process.env.TMPDIR = folder;
  const postgres = await startEmbeddedPostgres({
    dataDir: await mkdtemp(join(folder, 'run-')),
    log,
    durability: 'test',
    // Suites with several nodes run at the same time.
    maxConnections: 400,
    packageDir: testPackage(),
  });
  const admin = new pg.Client(postgres.connection);
  await admin.connect();
  await admin.query('CREATE DATABASE gatehouse_template');
  await admin.end();
  await migrate({ ...postgres.connection, database: 'gatehouse_template' });
  process.env.GATEHOUSE_TEST_DATABASE = JSON.stringify(postgres.connection);
  globalThis.gatehouseTestRun = { postgres, folder };
}

/**
 * Copies of a database cost a tenth of the CPU in memory. In a container the folder is often too small, or runs no
 * programs.
 */
async function hasRoomInMemory() {
  const [mounts, space] = await Promise.all([
    readFile('/proc/mounts', 'utf8').catch(() => ''),
    statfs(memoryFolder).catch(() => ({ bavail: 0, bsize: 0 })),
  ]);
  const mount = mounts.split('\n').find((line) => line.split(' ')[1] === memoryFolder);
  const runsPrograms = mount !== undefined && !mount.includes('noexec');
  return runsPrograms && Math.min(space.bavail * space.bsize, freemem()) >= neededBytes;
}
