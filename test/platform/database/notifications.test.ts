import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { log } from '../../../src/platform/logging/log.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { until } from '../../support/until.js';

let connection: TestConnection;
let drop: () => Promise<void>;
let dataSource: DataSource;
let database: Database;
const open: Notifications[] = [];

beforeAll(async () => {
  log.level = 'silent';
  ({ connection, drop } = await createDatabase());
  dataSource = await new DataSource({ type: 'postgres', ...typeOrmConnection(connection) }).initialize();
  database = new Database(dataSource);
});
afterEach(() => Promise.all(open.splice(0).map((one) => one.onModuleDestroy())));
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

async function listener(
  prepare: (notifications: Notifications) => void,
  over: TestConnection = connection,
): Promise<Notifications> {
  const notifications = new Notifications(over, database);
  prepare(notifications);
  await notifications.onApplicationBootstrap();
  open.push(notifications);
  return notifications;
}

const cutOff = () =>
  database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'gatehouse notifications%' AND datname = current_database()",
  );

describe('Notifications between nodes', () => {
  it('reach every handler of their channel, and no other', async () => {
    const heard: string[] = [];
    const notifications = await listener((one) => {
      one.on('room_a', (payload) => heard.push(`first ${payload}`));
      one.on('room_a', (payload) => heard.push(`second ${payload}`));
      one.on('Room "B"', (payload) => heard.push(`other ${payload}`));
    });
    await notifications.send('room_a', 'client-1');
    await notifications.send('Room "B"');
    await until(() => heard.length === 3);
    expect(heard).toEqual(['first client-1', 'second client-1', 'other ']);
  });

  it('share their connection with short statements, one at a time', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const notifications = await listener(() => undefined);
    const asked = ['SELECT 1 AS n FROM pg_sleep(0.7)', 'SELECT 2 AS n', 'SELECT n FROM nowhere', 'SELECT 3 AS n'].map(
      (sql) =>
        notifications.query<{ n: number }>(sql).then(
          ({ rows }) => rows[0]?.n,
          (error) => error.code,
        ),
    );
    // The heartbeat comes in between.
    expect(await Promise.all(asked)).toEqual([1, 2, '42P01', 3]);
    expect(notifications.isListening).toBe(true);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    await notifications.onModuleDestroy();
    await expect(notifications.query('SELECT 1')).rejects.toMatchObject({ code: '08001' });
  });

  it('reach the other handlers when one fails', async () => {
    const heard: string[] = [];
    const notifications = await listener((one) => {
      one.on('room_a', () => {
        throw new Error('broken cache');
      });
      one.on('room_a', (payload) => heard.push(payload));
    });
    await notifications.send('room_a', 'x');
    await until(() => heard.length === 1);
  });

  it('are sent with the commit of their transaction, and not after a rollback', async () => {
    const heard: string[] = [];
    const notifications = await listener((one) => one.on('room_a', (payload) => heard.push(payload)));
    const undone = database.transaction(async () => {
      await notifications.send('room_a', 'undone');
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await database.transaction(async () => {
      await notifications.send('room_a', 'kept');
      await sleep(200);
      expect(heard).toEqual([]);
    });
    await until(() => heard.length > 0);
    expect(heard).toEqual(['kept']);
  });

  it('are received again after the connection was lost, and caches are notified that some may be missing', async () => {
    const heard: string[] = [];
    let gaps = 0;
    const notifications = await listener((one) => {
      one.on('room_a', (payload) => heard.push(payload));
      one.onReconnect(() => {
        gaps += 1;
      });
    });
    expect([gaps, notifications.isListening]).toEqual([1, true]);
    for (let round = 2; round < 5; round += 1) {
      await cutOff();
      await until(() => gaps === round);
      await notifications.send('room_a', `round ${round}`);
      await until(() => heard.length === round - 1);
    }
    expect(heard).toEqual(['round 2', 'round 3', 'round 4']);
  });

  it('are reported as not received while the database is away, and the process continues', async () => {
    const reachable = { ...connection };
    const notifications = await listener((one) => one.on('room_a', () => undefined), reachable);
    reachable.host = '/nowhere';
    await cutOff();
    await until(() => !notifications.isListening);
    await sleep(500);
    expect(notifications.isListening).toBe(false);
    reachable.host = connection.host;
    await until(() => notifications.isListening);
  });

  it('are soon received again after a long outage: the pauses between attempts to connect stay short', async () => {
    const attempts: number[] = [];
    const closed = createServer((socket) => {
      attempts.push(performance.now());
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await listener(() => undefined, { ...connection, host: '127.0.0.1', port });
    await until(() => attempts.length === 9);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(3_000);
    closed.close();
  });

  it('cannot be subscribed to after the start, when some could have been missed', async () => {
    const notifications = await listener(() => undefined);
    expect(() => notifications.on('room_a', () => undefined)).toThrow('after the start');
  });

  it('are not received after the application has stopped', async () => {
    const notifications = await listener((one) => one.on('room_a', () => undefined));
    await notifications.onModuleDestroy();
    await sleep(300);
    expect(notifications.isListening).toBe(false);
    const { rows } = await database.query(
      "SELECT FROM pg_stat_activity WHERE application_name LIKE 'gatehouse notifications%' AND datname = current_database()",
    );
    expect(rows).toHaveLength(0);
  });
});
