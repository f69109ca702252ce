import pg from 'pg';
import type { TestConnection } from './database.js';

/** Replaces PostgreSQL's time functions by some that add the time in a table. */
export async function withMovableClock(connection: TestConnection): Promise<TestConnection> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`
    CREATE SCHEMA clock;
    CREATE TABLE clock.ahead (by interval NOT NULL);
    INSERT INTO clock.ahead VALUES ('0');
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT pg_catalog.now() + by FROM clock.ahead';
    CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + by FROM clock.ahead';
    ALTER DATABASE ${connection.database} SET search_path = clock, public, pg_catalog;`);
  await client.end();
  return connection;
}

const RealDate = Date;

/** The clock of this process, ahead of the real one by these milliseconds. */
export function setProcessAhead(ms: number): void {
  globalThis.Date =
    ms === 0
      ? RealDate
      : (class extends RealDate {
          constructor(...values: []) {
            if (values.length === 0) super(RealDate.now() + ms);
            else super(...values);
          }

          static override now(): number {
            return RealDate.now() + ms;
          }
        } as DateConstructor);
}
