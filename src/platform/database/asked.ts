import type { QueryResultRow } from 'pg';

/** A connection, or the pool, which gives each statement one of its own. */
export interface Asked {
  query<R extends QueryResultRow>(sql: string): Promise<{ rows: R[] }>;
}

/** Seconds that the database's clock is ahead of this node's, accurate to half of a round trip. */
export async function clockOffset(asked: Asked): Promise<number> {
  const askedAt = Date.now();
  const { rows } = await asked.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 AS now');
  return (rows[0]?.now ?? 0) - (askedAt + Date.now()) / 2000;
}
