/** Checks of a database at start, before it is used. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresConnection } from './connection.js';
import { connectMarked } from './lost-connections.js';
import { refuseReadOnly } from './read-only.js';

const pauseMs = 500;
const connectWithinMs = 5_000;
/** SQLSTATEs of PostgreSQL and poolers while servers start, stop or change roles. */
const passingStates = /^(57P0[1235]|53300|25006|08001|08003|08004|08006)$/;
const passingSystemErrors = /^(ECONN|ENOTFOUND$|EAI_AGAIN$|ETIMEDOUT$|EHOST|ENETUNREACH$|EPIPE$|ENOENT$)/;
/** Texts of poolers: PgBouncer has one SQLSTATE, `08P01`, for refusals that pass and for others that are final. */
const passingRefusals = /the database system is |server conn crashed|connect failed|cannot connect to server/i;

const pooledTransactions =
  'the pooler in front of the database gives a session to another client between transactions (its pool_mode is ' +
  '"transaction" or "statement"), and Gatehouse needs a session of its own for each connection: set pool_mode = session';

/**
 * Waits for a database that will be available soon: one that is starting, whose address does not resolve yet, or that
 * is read-only because it has not been promoted yet. Any other refusal is final. Then runs `use`, and runs it again if
 * the database goes away meanwhile: a server that is restarted answers a moment before it stops, and ends what it has
 * begun.
 */
export async function withDatabase<T>(
  connection: PostgresConnection,
  { seconds, say }: { seconds: number; say: (message: string) => void },
  use: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  let loggedReason: string | undefined;
  for (;;) {
    try {
      await refuseUnusable(connection);
      return await use();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= deadline) throw error;
      const reason = failureReason(error);
      if (reason !== loggedReason) say(`waiting up to ${seconds} s for the database: ${reason}`);
      loggedReason = reason;
      await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())));
    }
  }
}

/**
 * Throws unless each connection has a server session of its own and receives notifications (LISTEN). While one
 * connection has an open transaction, no other may have the same server process; and a notification that PostgreSQL
 * sends a session between its statements must arrive.
 */
export async function refusePooledTransactions(connection: PostgresConnection, withinMs = 10_000): Promise<void> {
  const channel = `gatehouse_session_${randomBytes(8).toString('hex')}`;
  const listener = new pg.Client({ ...connection, connectionTimeoutMillis: connectWithinMs });
  const speaker = new pg.Client({ ...connection, connectionTimeoutMillis: connectWithinMs });
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.all([connectMarked(listener), connectMarked(speaker)]);
    const heard = new Promise<boolean>((resolve) => {
      listener.on('notification', () => resolve(true));
      timer = setTimeout(() => resolve(false), withinMs);
    });
    await listener.query(`LISTEN ${channel}`);
    const listening = await serverProcess(listener);
    await speaker.query('BEGIN');
    if ((await serverProcess(speaker)) === listening) throw new Error(pooledTransactions);
    await speaker.query(`NOTIFY ${channel}`);
    await speaker.query('COMMIT');
    if (!(await heard)) throw new Error(pooledTransactions);
  } catch (error) {
    // A pooler reuses the session for other clients.
    await speaker.query('ROLLBACK').catch(() => undefined);
    // PgBouncer's `08P01` again, with which it also refuses other statements.
    if (/statement pooling/i.test(failureReason(error))) throw new Error(pooledTransactions, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    await listener.query(`UNLISTEN ${channel}`).catch(() => undefined);
    await Promise.all([listener, speaker].map((client) => client.end().catch(() => undefined)));
  }
}

/** Reason of a failure, for the operator. */
export function failureReason(error: unknown): string {
  const { errors, message = String(error) } = (error ?? {}) as { errors?: unknown[]; message?: string };
  if (Array.isArray(errors)) return errors.map(failureReason).join('; ');
  const parameter = /unsupported startup parameter(?: in options)?: ([\w.]+)/.exec(message)?.[1];
  if (!parameter) return message;
  return (
    `the pooler in front of the database refuses the startup parameter "${parameter}": take it out of database.url, or ` +
    `name it in PgBouncer's ignore_startup_parameters`
  );
}

async function refuseUnusable(connection: PostgresConnection): Promise<void> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: connectWithinMs,
  });
  try {
    await connectMarked(client);
    await refuseReadOnly(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function isTransient(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return passingStates.test(code) || passingSystemErrors.test(code) || passingRefusals.test(message);
}

async function serverProcess(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}
