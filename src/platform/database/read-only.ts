import type { ClientBase } from 'pg';
import type { Asked } from './connection.js';
import { markLostConnection } from './lost-connections.js';

/** PostgreSQL's `read_only_sql_transaction`. */
const readOnlyState = '25006';

/**
 * Throws for a read-only server. While servers change roles, the address of the database may lead to one: a standby
 * that has not been promoted yet, or a demoted primary. Its data may be out of date, such as that a token is still
 * valid. So it is not queried (security R-06).
 */
export async function refuseReadOnly(asked: Asked): Promise<void> {
  refuseIfReadOnly(await asked.query<ReadOnly>('SHOW transaction_read_only'));
}

/**
 * Prepares each new connection of the pool. One that breaks while it is checked out must fail its statement, not the
 * process: node-postgres emits 'error', for which Node ends a process that does not listen. Time-outs are set by a
 * statement: poolers refuse them as connection parameters, or accept and ignore them.
 */
export async function makeUsable(client: ClientBase): Promise<void> {
  client.on('error', () => undefined);
  markLostConnection(client);
  refuseIfReadOnly(
    await client.query<ReadOnly>(
      `SELECT set_config('statement_timeout', '4500', false),
              set_config('idle_in_transaction_session_timeout', '10000', false),
              current_setting('transaction_read_only') AS transaction_read_only`,
    ),
  );
}

interface ReadOnly {
  transaction_read_only: string;
}

function refuseIfReadOnly({ rows }: { rows: ReadOnly[] }): void {
  if (rows[0]?.transaction_read_only === 'off') return;
  throw notThePrimary('the PostgreSQL server at this address is read-only');
}

/** The error of a server that must not be used, at an address that may lead to another one by now. */
export function notThePrimary(text: string): Error {
  return Object.assign(new Error(text), { code: readOnlyState });
}

export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === readOnlyState;
}
