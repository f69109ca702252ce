import type { Pool, PoolClient } from 'pg';
import { connectionRefused, isUnanswered } from './lost-connections.js';
import { isReadOnly } from './read-only.js';
import { ServerHistory } from './server-history.js';

/** Interval of attempts to connect while the database does not answer. */
const probeEveryMs = 250;

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void;
type Release = (destroy?: Error | boolean) => void;

/** Per connection of a pool, the function that records its errors. */
const noted = new WeakMap<PoolClient, (error: unknown) => boolean>();

/**
 * Watches the connections of a pool for a server that is gone or is no longer the primary; `renew` ends all of the
 * present ones. `failed` gets the errors of connections and of their statements.
 *
 * Circuit breaker: after the database has not answered in time, connections fail immediately, except for an attempt a
 * quarter of a second after another one began or failed, until it answers one (security R-14). Without it, each
 * statement of a use case would wait for its own time-out when the network drops all packets to the database. What
 * began before it has answered to another connection does not count.
 *
 * Renewal: a connection that is not answered, or that can only read, is not alone: the others lead to the same server,
 * which is no longer the primary (security R-06). Found one by one, each would cost a request its time-out, and those
 * that a frozen primary answers again when it wakes up would read what has changed since. So all of them end, those in
 * use after their use.
 */
export function watchConnections(
  pool: Pool,
  failed: (error: unknown) => void,
): { renew: () => void; history: ServerHistory } {
  let isSilent = false;
  let nextProbeAt = 0;
  let answeredAt = 0;
  let renewedAt = 0;
  const connectedAt = new WeakMap<PoolClient, number>();
  const answered = () => {
    answeredAt = performance.now();
    isSilent = false;
  };
  const renew = () => {
    renewedAt = performance.now();
  };
  const history = new ServerHistory(renew);
  const admitted = new WeakSet<PoolClient>();
  const noteUnanswered = (waitedMs = 0) => {
    const now = performance.now();
    if (now - waitedMs < answeredAt) return;
    isSilent = true;
    // Else the next statement of the same use case would be the next attempt, and wait as long.
    nextProbeAt = now + probeEveryMs;
  };
  const note = (error: unknown): boolean => {
    failed(error);
    const hasNoAnswer = isUnanswered(error);
    if (hasNoAnswer) noteUnanswered(pool.options.query_timeout);
    if (hasNoAnswer || isReadOnly(error)) renew();
    return hasNoAnswer;
  };
  pool.on('connect', (client) => {
    connectedAt.set(client, performance.now());
    answered();
  });
  pool.on('acquire', (client) => noted.set(client, note));
  // Also called with the error of a statement that ran on the pool itself; the pool then closes the connection, too.
  pool.on('release', (error: unknown) => {
    if (error) note(error);
    else answered();
  });

  const connect = pool.connect.bind(pool) as (callback: Connected) => void;
  const connectFresh = (callback: Connected) => {
    connect((error, client, release) => {
      if (client && (connectedAt.get(client) ?? 0) < renewedAt) {
        release(true);
        connectFresh(callback);
        return;
      }
      if (client && !admitted.has(client)) {
        history.assertCurrentPrimary(client).then(
          () => {
            admitted.add(client);
            callback(undefined, client, release);
          },
          (failure: Error) => {
            release(failure);
            callback(failure, undefined, () => undefined);
          },
        );
        return;
      }
      failed(error);
      if (isReadOnly(error)) renew();
      if (isUnanswered(error)) noteUnanswered(pool.options.connectionTimeoutMillis);
      callback(error, client, release);
    });
  };
  const connectUnlessSilent = (callback: Connected) => {
    const now = performance.now();
    if (isSilent && now < nextProbeAt) {
      process.nextTick(callback, noAttempt(), undefined, () => undefined);
      return;
    }
    nextProbeAt = now + probeEveryMs;
    connectFresh(callback);
  };
  pool.connect = ((callback?: Connected) => {
    if (callback) return connectUnlessSilent(callback);
    return new Promise((resolve, reject) =>
      connectUnlessSilent((error, client) => (client ? resolve(client) : reject(error))),
    );
  }) as Pool['connect'];
  return { renew, history };
}

/**
 * Closes a connection on which a statement was not answered: the next statement would wait as well; and one to a server
 * that has become read-only: the address may lead to another server by then, an existing connection does not.
 */
export function closeIfUseless(client: PoolClient, error: unknown): void {
  if (!noted.get(client)?.(error) && !isReadOnly(error)) return;
  // While its statement is unanswered, `end()` breaks the connection instead of closing it gracefully.
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}

function noAttempt(): Error {
  return connectionRefused('no connection was attempted: the database did not answer a moment ago');
}
