import type { Client, ClientBase, Pool, PoolClient } from 'pg';

/** Messages of node-postgres, which has no codes for them, about a connection that is lost or missing. */
type LossMessage =
  | 'Query read timeout'
  | 'Connection terminated due to connection timeout'
  | 'Connection terminated unexpectedly'
  | 'Connection terminated'
  | 'Client has encountered a connection error and is not queryable'
  | 'Client was closed and is not queryable'
  | 'timeout exceeded when trying to connect'
  | 'timeout expired';

/** Not a state of PostgreSQL: no connection of this node's pool became free in time. */
const poolExhausted = 'GHPOOL';

/** SQLSTATEs that PostgreSQL has for it: connection exceptions (08). */
const states: Readonly<Record<LossMessage, { code: string; isUnanswered?: true }>> = {
  'Query read timeout': { code: '08006', isUnanswered: true },
  'Connection terminated due to connection timeout': { code: '08001', isUnanswered: true },
  'Connection terminated unexpectedly': { code: '08006' },
  'Connection terminated': { code: '08006' },
  'Client has encountered a connection error and is not queryable': { code: '08003' },
  'Client was closed and is not queryable': { code: '08003' },
  // The pool of this node has no free connection: PostgreSQL may have many, so this is not its 53300.
  'timeout exceeded when trying to connect': { code: poolExhausted },
  'timeout expired': { code: '08001', isUnanswered: true },
};

type Callback = (error: Error | undefined, ...results: never[]) => void;
type Query = (query: unknown, ...rest: unknown[]) => unknown;

/** An error for a connection that is not attempted. */
export function connectionRefused(text: string): Error {
  return Object.assign(new Error(text), { code: '08001' });
}

/** True if the database did not answer in time, to a statement or to a connection attempt. */
export function isUnanswered(error: unknown): boolean {
  return (error as { isUnanswered?: unknown } | null | undefined)?.isUnanswered === true;
}

/**
 * Gives the errors of a lost connection the SQLSTATE that they lack, where they come from: all other code asks for a
 * state, as it does for errors of PostgreSQL itself. TypeORM copies it to its own errors.
 */
export function markLostConnection(client: ClientBase): void {
  const query = client.query.bind(client) as Query;
  client.query = ((first: unknown, ...rest: unknown[]) => {
    const callback = rest.at(-1);
    if (typeof callback === 'function') return query(first, ...rest.slice(0, -1), marking(callback as Callback));
    const { submit, callback: own } = first as { submit?: unknown; callback?: Callback };
    if (own) Object.assign(first as object, { callback: marking(own) });
    const result = query(first, ...rest);
    return own || submit ? result : (result as Promise<unknown>).catch(rethrowMarked);
  }) as ClientBase['query'];
}

/** Connects a client of no pool. Its errors, here and in later queries, are as those of {@link markLostConnection}. */
export async function connectMarked(client: Client): Promise<void> {
  // Without a listener for 'error', a connection that breaks would end the process.
  client.on('error', () => undefined);
  markLostConnection(client);
  await client.connect().catch(rethrowMarked);
}

/** As {@link markLostConnection}, for connections that a pool does not get. */
export function markFailedConnections(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<PoolClient>;
  pool.connect = ((callback?: Callback) =>
    callback ? connect(marking(callback)) : connect().catch(rethrowMarked)) as Pool['connect'];
}

function marking(callback: Callback): Callback {
  return (error, ...results) => callback(marked(error), ...results);
}

function rethrowMarked(error: unknown): never {
  throw marked(error);
}

function marked<E>(error: E): E {
  if (!(error instanceof Error) || 'code' in error) return error;
  return Object.assign(error, states[error.message as LossMessage]);
}
