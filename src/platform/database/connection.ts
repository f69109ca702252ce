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
