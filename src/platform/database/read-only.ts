import type { ClientBase, PoolClient } from 'pg';

/** PostgreSQL's `read_only_sql_transaction`. */
const readOnlyState = '25006';

/**
 * While servers change roles, the address of the database may lead to one that only reads: a standby that has not been
 * promoted yet, or the old primary, come back as a standby. What it says may be out of date, such as that a token still
 * stands. So it is asked nothing (security R-06).
 */
export async function refuseReadOnly(client: ClientBase): Promise<void> {
  refuseIfReadOnly(await client.query<ReadOnly>('SHOW transaction_read_only'));
}

/**
 * For each new connection of the pool. Its time-outs are set by a statement: poolers refuse them as parameters of a
 * connection, or take and ignore them.
 */
export async function makeUsable(client: ClientBase): Promise<void> {
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
  throw Object.assign(new Error('the server at this address only reads'), { code: readOnlyState });
}

/** A server may turn into one that only reads. The address may lead elsewhere by then; a connection that stays does not. */
export function closeIfReadOnly(client: PoolClient, error: unknown): void {
  if ((error as { code?: unknown } | null)?.code !== readOnlyState) return;
  (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
}
