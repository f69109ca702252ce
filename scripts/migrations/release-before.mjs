/** A database as the release before leaves it, with rows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { DataSource } from 'typeorm';
import '../typescript.mjs';
import { root } from '../prepare.mjs';

const migrations = await import('../../migrations/index.ts');
const { typeOrmConnection } = await import('../../src/platform/database/connection.ts');
const { releaseBefore } = await import('../../src/platform/database/releases.ts');

const rows = 'test/faults/migrations/old-rows/schema-048.sql';

const all = Object.values(migrations).sort((one, other) => numberOf(one) - numberOf(other));

export const release = releaseBefore() ?? { version: 'none', migrations: [] };

/** Makes an empty database one of the release before. */
export async function fillAsReleaseBefore(connection) {
  const [first, ...lines] = (await readFile(join(root, rows), 'utf8')).split('\n');
  const filled = JSON.parse(first.slice('-- '.length)).migrations;
  const known = all.filter(({ name }) => release.migrations.includes(name));
  await withSource(connection, known.slice(0, filled), (source) => source.runMigrations());
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`SET session_replication_role = replica;\n${lines.join('\n')}`);
  await client.end();
  await withSource(connection, known, (source) => source.runMigrations());
}

/** Runs `work` with a source for the database, and the migrations that the release before does not have. */
export function withLaterMigrations(connection, work) {
  const later = all.filter(({ name }) => !release.migrations.includes(name));
  return withSource(connection, later, (source) => work(source, source.migrations));
}

function numberOf({ name }) {
  return Number(name.slice(-13));
}

async function withSource(connection, list, work) {
  const source = new DataSource({
    type: 'postgres',
    ...typeOrmConnection(connection),
    migrations: list,
    migrationsTransactionMode: 'each',
  });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}
