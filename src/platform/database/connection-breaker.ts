import type { Pool, PoolClient } from 'pg';

/** How long nobody else asks a database that has just not answered. */
const pauseMs = 1_000;
const noAnswer = /Query read timeout|Connection terminated due to connection timeout/;

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Notes what connections of a pool failed with. */
const noted = new WeakMap<PoolClient, (error: unknown) => boolean>();

/**
 * When the way to the database has become a black hole, a statement fails by its time-out only, and a use case of several
 * would wait for each of them. So once one has waited in vain, all others of the next second fail at once (security R-14).
 */
export function failFast(pool: Pool): void {
  let silentUntil = 0;
  const note = (error: unknown): boolean => {
    const isSilent = error instanceof Error && noAnswer.test(error.message);
    if (isSilent) silentUntil = performance.now() + pauseMs;
    return isSilent;
  };
  pool.on('connect', (client) => noted.set(client, note));
  // With the error of a statement that the pool itself was asked for; it closes the connection by itself, too.
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

/** A connection on which a statement was not answered would let the next one wait as well. */
export function closeIfUnresponsive(client: PoolClient, error: unknown): void {
  if (!noted.get(client)?.(error)) return;
  // As long as its statement is not answered, this breaks the connection instead of saying goodbye.
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}

function stillSilent(): Error {
  return new Error('Connection terminated: the database did not answer a moment ago');
}
