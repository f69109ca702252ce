import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { counted } from '../../contract/messages/counted.js';
import type { PostgresConnection } from '../database/connection.js';
import { known, makeSchema, migrationsDone } from '../database/migrate.js';
import { nodesByRelease } from '../database/notifications.js';
import { BackupProblem } from './backup-problem.js';
import { tablesOf } from './schema-tables.js';

/** A session of a process that was killed ends a moment later. */
const waitMs = 3_000;
const pollMs = 200;

/**
 * Refuses while other sessions use the database: what a node has cached is not what will be there. `own` are process
 * ids of the sessions of this command.
 */
export async function refuseOtherSessions(client: Client, own: readonly number[]): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    const nodes = await nodesByRelease(client);
    if (nodes.length > 0) {
      const running = nodes.map(({ version, nodes: number }) => `${number} of ${version}`).join(', ');
      throw new BackupProblem(`Nodes of Gatehouse use the database (${running}): stop them, and repeat the command.`);
    }
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> ALL ($1)`,
      [own],
    );
    const others = rows[0]?.count ?? 0;
    if (others === 0) return;
    if (performance.now() > until)
      throw new BackupProblem(
        `${others} other ${others === 1 ? 'session uses' : 'sessions use'} the database: end them, and repeat the command.`,
      );
    await sleep(pollMs);
  }
}

/** The id of this session at the server. */
export async function processOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/**
 * Makes the schema of the backup in a database that holds no data, or refuses. `advice` says how to get an empty one;
 * nothing that a user or an administrator has made is ever replaced. A schema that is there already, such as that of a
 * portal that was started once or of a command that was killed, is made again unless it is the same.
 */
export async function prepareSchema(
  client: Client,
  connection: PostgresConnection,
  migrations: readonly string[],
  advice: string,
): Promise<void> {
  const done = await migrationsDone(client);
  await refuseData(client, done.length > 0, advice);
  const wanted = known.filter((name) => migrations.includes(name));
  if (done.length > 0) {
    if (done.length === wanted.length && wanted.every((name) => done.includes(name))) return;
    await removeSchema(client, advice);
  }
  await makeSchema(connection, wanted);
}

async function refuseData(client: Client, isGatehouse: boolean, advice: string): Promise<void> {
  if (!isGatehouse) {
    const tables = await tablesOf(client);
    if (tables.length > 0)
      throw new BackupProblem(`The database has tables of something else (such as ${tables[0]?.name}): ${advice}`);
    return;
  }
  const found = [];
  for (const [table, word] of [
    ['account', 'user'],
    ['client', 'client'],
  ] as const) {
    const { rows: tables } = await client.query<{ name: string | null }>(`SELECT to_regclass('${table}') AS name`);
    if (!tables[0]?.name) continue;
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
    const count = rows[0]?.count ?? 0;
    if (count > 0) found.push(counted(count, word));
  }
  if (found.length > 0)
    throw new BackupProblem(`This installation has data (${found.join(', ')}), which is never replaced: ${advice}`);
}

/** Another connection makes the schema, so it has to be committed. */
async function removeSchema(client: Client, advice: string): Promise<void> {
  try {
    await client.query(`
      DO $$ DECLARE name text := current_schema(); BEGIN
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
        EXECUTE format('CREATE SCHEMA %I', name);
      END $$`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new BackupProblem(`The schema of the database cannot be made again: ${advice}`, { cause: error });
  }
}
