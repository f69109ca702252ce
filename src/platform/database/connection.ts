import type { DataSourceOptions } from 'typeorm';

/** How to reach PostgreSQL: a URL of the deployer's, or the embedded server's socket folder. */
export type PostgresConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/** The same connection in TypeORM's words. */
export function typeOrmConnection(
  connection: PostgresConnection,
): Pick<Extract<DataSourceOptions, { type: 'postgres' }>, 'url' | 'host' | 'port' | 'username' | 'database'> {
  if ('connectionString' in connection) return { url: connection.connectionString };
  const { host, port, user, database } = connection;
  return { host, port, username: user, database };
}
