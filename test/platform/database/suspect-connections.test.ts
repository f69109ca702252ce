import type pg from 'pg';
import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { makeUsable } from '../../../src/platform/database/read-only.js';
import { log } from '../../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { until } from '../../support/until.js';

const poolSize = 4;
/** Much longer than the time between two attempts, for a slow machine. */
const soonMs = 3_000;
/** A slow machine opens a connection in this time. */
const connectTimeoutMS = 3_000;
const timeouts = { connectTimeoutMS, extra: { query_timeout: 3_000, onConnect: makeUsable } };

let drop: () => Promise<void>;
let proxy: DatabaseProxy;
let reached: TestConnection;
let dataSource: DataSource;
let database: Database;

beforeAll(async () => {
  log.level = 'silent';
  const created = await createDatabase();
  drop = created.drop;
  proxy = new DatabaseProxy(created.connection);
  reached = await proxy.open();
});
afterAll(async () => {
  await proxy.shut();
  await drop();
});
beforeEach(async () => {
  dataSource = await new DataSource({
    type: 'postgres',
    ...typeOrmConnection(reached),
    poolSize,
    ...timeouts,
  }).initialize();
  database = new Database(dataSource);
});
afterEach(async () => {
  // Also after a failure, which must not fail the next test.
  proxy.passNewData();
  await dataSource.destroy();
});

/** Opens all connections of the pool; returns the server's processes. */
async function processes(): Promise<number[]> {
  const all = Array.from({ length: poolSize }, () =>
    database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.2)'),
  );
  return (await Promise.all(all)).map(({ rows }) => rows[0]?.pid ?? 0);
}

const works = () =>
  database.query('SELECT 1').then(
    () => true,
    () => false,
  );

/** Requests one after the other until one succeeds; returns the SQLSTATEs of those that failed. */
async function failuresUntilOneSucceeds(
  attempt: () => Promise<unknown> = () => database.query('SELECT 1'),
): Promise<string[]> {
  const states: string[] = [];
  await until(() =>
    attempt().then(
      () => true,
      (error: { code: string }) => {
        states.push(error.code);
        return false;
      },
    ),
  );
  return states;
}

describe('R-06 When connections of the pool lead to a server that is gone', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a statement', () => database.query('SELECT 1')],
    ['a transaction', () => database.transaction(() => database.query('SELECT 1'))],
  ])('the first one that is not answered ends all: no other request waits (%s)', async (_, attempt) => {
    await processes();
    proxy.dropAllData();
    proxy.passNewData();
    // 08006 is a statement that waited for its time-out; then connections are not attempted for a moment (08001).
    expect((await failuresUntilOneSucceeds(attempt)).filter((state) => state === '08006')).toEqual(['08006']);
  });

  it('the node that loses its LISTEN connection uses none of them', async () => {
    const notifications = new Notifications(reached, database);
    await notifications.onApplicationBootstrap();
    await processes();
    proxy.dropAllData();
    await until(() => !notifications.isListening);
    proxy.passNewData();
    await until(() => notifications.isListening);
    expect(await works()).toBe(true);
    await notifications.onModuleDestroy();
  });

  it('one of them that can only read ends all, also those in use', async () => {
    const before = await processes();
    let goOn: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const inUse = database.transaction(async () => {
      await database.query('SELECT 1');
      await waits;
    });
    const { master: pool } = dataSource.driver as unknown as { master: pg.Pool };
    const others = await Promise.all(Array.from({ length: poolSize - 1 }, () => pool.connect()));
    for (const client of others) await client.query('SET default_transaction_read_only = on');
    for (const client of others) client.release();
    const write = () => database.transaction(() => database.query('CREATE TEMPORARY TABLE IF NOT EXISTS written ()'));
    expect(await failuresUntilOneSucceeds(write)).toEqual(['25006']);
    goOn();
    await inUse;
    expect((await processes()).filter((pid) => before.includes(pid))).toEqual([]);
  });
});

describe('R-14 When the database answers again', () => {
  it('attempts that began before, and are not answered, keep no later one from connecting', async () => {
    const before = proxy.connections;
    proxy.dropAllData();
    // The connection of the data source is silent, too.
    const early = Array.from({ length: poolSize - 1 }, () => works());
    await until(() => proxy.connections === before + poolSize - 2);
    proxy.passNewData();
    await until(works);
    await Promise.all(early);
    expect(await works()).toBe(true);
  });

  it('a node notices soon: while it is silent, one of many connections is attempted', async () => {
    proxy.dropAllData();
    expect(await works()).toBe(false);
    const began = performance.now();
    const many = await Promise.all(Array.from({ length: poolSize * 3 }, works));
    expect(many).not.toContain(true);
    // No request has waited for another one, and one of them was an attempt.
    expect(performance.now() - began).toBeLessThan(3 * connectTimeoutMS);
    proxy.passNewData();
    const passed = performance.now();
    await until(works);
    expect(performance.now() - passed).toBeLessThan(soonMs);
  });
});
