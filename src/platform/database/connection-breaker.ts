import type { Pool, PoolClient } from 'pg';
import { connectionRefused, isUnanswered } from './lost-connections.js';

/** Pause after a query timeout in which all other connections fail immediately. */
const pauseMs = 1_000;

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Per connection of a pool, the function that records its errors. */
const noted = new WeakMap<PoolClient, (error: unknown) => boolean>();

/**
 * Circuit breaker: after a query times out without an answer, new connections fail immediately for one second (security
 * Without it, each statement of a use case would wait for its own time-out when the network drops all packets to
 * the database.
 */
export function failFast(pool: Pool): void {
  let silentUntil = 0;
  const note = (error: unknown): boolean => {
    const isSilent = isUnanswered(error);
    if (isSilent) silentUntil = performance.now() + pauseMs;
    return isSilent;
  };
  pool.on('acquire', (client) => noted.set(client, note));
  // Also called with the error of a statement that ran on the pool itself; the pool then closes the connection, too.
  pool.on('release', note);
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<PoolClient>;
  pool.connect = ((callback?: Connected) => {
    const isSilent = performance.now() < silentUntil;
    if (!callback) return isSilent ? Promise.reject(stillSilent()) : connect();
    if (isSilent) {
      process.nextTick(callback, stillSilent(), undefined, () => undefined);
      return undefined;
    }
    return connect((error, client, release) => {
      note(error);
      callback(error, client, release);
    });
  }) as Pool['connect'];
}

/** Closes a connection on which a statement was not answered: the next statement would wait as well. */
export function closeIfUnresponsive(client: PoolClient, error: unknown): void {
  if (!noted.get(client)?.(error)) return;
  // While its statement is unanswered, `end()` breaks the connection instead of closing it gracefully.
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}

function stillSilent(): Error {
  return connectionRefused('no connection was attempted: the database did not answer a moment ago');
}
