import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import * as migrations from '../../../migrations/index.js';
import { createDatabase, type TestConnection } from './database.js';

const folder = 'test/faults/migrations/old-rows';
/** The master key of the portals that wrote the rows. */
export const oldMasterKey = Buffer.alloc(32, 7);

/** The values that a browser, an app and an authenticator had when the rows were written. */
interface OldFacts {
  refreshToken: string;
  scope: string;
  cookies: [name: string, value: string][];
  secondFactor: { key: string; recoveryCode: string };
  issuer: string;
  /** The time at which they were written. */
  now: string;
  /** The number of migrations of the schema. */
  migrations: number;
}

export interface OldRows {
  name: string;
  facts: OldFacts;
  sql: string;
}

/** The rows of each earlier schema: written through the API of the portal that had the schema, and dumped. */
export function oldRows(): OldRows[] {
  return readdirSync(folder).map((file) => {
    const [first = '', ...lines] = readFileSync(`${folder}/${file}`, 'utf8').split('\n');
    return { name: file.replace('.sql', ''), facts: JSON.parse(first.slice('-- '.length)), sql: lines.join('\n') };
  });
}

/**
 * A database with an earlier schema and its rows, as if they had been written just now by a portal with this issuer;
 * jobs are due, and the app that waits for the end of a session listens on `appPort`.
 */
export async function createOldDatabase({ facts, sql }: OldRows, issuer: string, appPort: number) {
  const database = await createDatabase({ empty: true });
  await migrateUpTo(database.connection, facts.migrations);
  const client = new pg.Client(database.connection);
  await client.connect();
  const age = Math.floor((Date.now() - Date.parse(facts.now)) / 1000);
  // No triggers: the rows include those that triggers wrote.
  await client.query('SET session_replication_role = replica');
  const moved = (line: string) =>
    line.replaceAll(facts.issuer, issuer).replaceAll('http://localhost:1/', `http://localhost:${appPort}/`);
  // Seals cover the unchanged events.
  const lines = sql.split('\n').map((line) => (line.startsWith('INSERT INTO audit_event') ? line : moved(line)));
  await client.query(youngerBy(age, lines.join('\n')));
  await client.query(`
    DO $$ DECLARE place record; BEGIN
      FOR place IN SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
          -- Seals cover the times of events.
          AND table_name NOT IN ('audit_event', 'audit_seal')
      LOOP
        EXECUTE format(
          CASE WHEN place.column_name IN ('due_at', 'next_attempt_at') THEN 'UPDATE %I SET %I = now()'
          ELSE 'UPDATE %I SET %I = %2$I + interval ''${age} seconds''' END, place.table_name, place.column_name);
      END LOOP;
    END $$`);
  await client.end();
  return database;
}

/** Times within the engine's records are seconds since 1970. */
function youngerBy(seconds: number, sql: string): string {
  return sql.replace(
    /("(?:exp|iat|iiat|loginTs|authTime|secondFactorAt)": )(\d{10})/g,
    (_, name: string, time: string) => name + (Number(time) + seconds),
  );
}

/** A module lists its exports by name. */
function byNumber(one: { name: string }, other: { name: string }): number {
  return Number(one.name.slice(-13)) - Number(other.name.slice(-13));
}

async function migrateUpTo({ host, port, user, database }: TestConnection, count: number): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    host,
    port,
    username: user,
    database,
    migrations: Object.values(migrations).sort(byNumber).slice(0, count),
    migrationsTransactionMode: 'each',
  });
  await source.initialize();
  await source.runMigrations();
  await source.destroy();
}
