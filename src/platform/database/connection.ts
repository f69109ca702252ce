import type { QueryResultRow } from 'pg';
import type { DataSourceOptions } from 'typeorm';

/** Address of PostgreSQL: the deployer's URL, or the socket folder of the embedded server. */
export type PostgresConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/** The same connection as TypeORM options. */
export function typeOrmConnection(
  connection: PostgresConnection,
): Pick<Extract<DataSourceOptions, { type: 'postgres' }>, 'url' | 'host' | 'port' | 'username' | 'database'> {
  if ('connectionString' in connection) return { url: connection.connectionString };
  const { host, port, user, database } = connection;
  return { host, port, username: user, database };
}

/** A connection, or the pool, which gives each statement one of its own. */
export interface Asked {
  query<R extends QueryResultRow>(sql: string): Promise<{ rows: R[] }>;
}

/** Seconds by which the clocks of a node and the database may differ: lifetimes end too early or too late beyond. */
export const mostClockOffset = 60;

/** Seconds that the database's clock is ahead of this node's, accurate to half of a round trip. */
export async function clockOffset(asked: Asked): Promise<number> {
  const askedAt = Date.now();
  const { rows } = await asked.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 AS now');
  return (rows[0]?.now ?? 0) - (askedAt + Date.now()) / 2000;
}

/**
 * False while the clock of this node differs so much from the database's that the node is not ready: its day may be
 * another one, and what a wrong day ends or removes does not come back.
 */
export async function clocksAgree(asked: Asked): Promise<boolean> {
  return Math.abs(await clockOffset(asked)) <= mostClockOffset;
}
