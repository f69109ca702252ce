import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
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
const aheadOfProcess = new AsyncLocalStorage<number>();

/** The clock of this process, ahead of the real one by these milliseconds. */
export function setProcessAhead(ms: number): void {
  const now = () => RealDate.now() + ms + (aheadOfProcess.getStore() ?? 0);
  globalThis.Date =
    ms === 0
      ? RealDate
      : (class extends RealDate {
          constructor(...values: []) {
            if (values.length === 0) super(now());
            else super(...values);
          }

          static override now(): number {
            return now();
          }
        } as DateConstructor);
}

/** Requests to this node of the process are handled with a clock that is ahead of that of the process. */
export function setNodeAhead(node: Server, ms: () => number): void {
  const emit = node.emit.bind(node);
  node.emit = (name: string, ...all: unknown[]) =>
    name === 'request' ? aheadOfProcess.run(ms(), () => emit(name, ...all)) : emit(name, ...all);
}
