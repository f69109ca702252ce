import { DataSource } from 'typeorm';
import { Cached } from '../../../src/platform/database/cached.js';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { createDatabase } from '../../support/database/database.js';
import { until } from '../../support/until.js';

let drop: () => Promise<void>;
let dataSource: DataSource;
let database: Database;
let notifications: Notifications;
let cached: Cached<{ value: string }>;
let heard = 0;

beforeAll(async () => {
  const created = await createDatabase();
  ({ drop } = created);
  dataSource = await new DataSource({ type: 'postgres', ...typeOrmConnection(created.connection) }).initialize();
  database = new Database(dataSource);
  await database.query('CREATE TABLE thing (key text PRIMARY KEY, value text NOT NULL)');
  notifications = new Notifications(created.connection, database);
  cached = new Cached(notifications, { channel: 'things', load });
  notifications.on('things', () => {
    heard += 1;
  });
  await notifications.onApplicationBootstrap();
});

beforeEach(async () => {
  await database.query("INSERT INTO thing VALUES ('a', 'old') ON CONFLICT (key) DO UPDATE SET value = 'old'");
  const before = heard;
  await notifications.send('things');
  await until(() => heard > before);
});

afterAll(async () => {
  await notifications.onModuleDestroy();
  await dataSource.destroy();
  await drop();
});

async function load(key: string): Promise<{ value: string } | undefined> {
  const { rows } = await database.query<{ value: string }>('SELECT value FROM thing WHERE key = $1', [key]);
  return rows[0];
}

const change = () => database.query("UPDATE thing SET value = 'new' WHERE key = 'a'");

describe('A value that a node caches', () => {
  it('is loaded outside of the transaction of the use case that reads it', async () => {
    await database.transaction(async () => {
      expect(await cached.get('a')).toEqual({ value: 'old' });
      expect(database.hasBegun).toBe(false);
    });
    expect(cached.atHand('a')).toEqual({ value: 'old' });
  });

  it('is not kept when the transaction in which it was loaded is rolled back', async () => {
    const undone = database.transaction(async () => {
      await change();
      expect(await cached.get('a')).toEqual({ value: 'new' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(cached.atHand('a')).toBeUndefined();
    expect(await cached.get('a')).toEqual({ value: 'old' });
  });

  it('is not kept by a transaction whose result is discarded', async () => {
    const work = async () => {
      await change();
      await cached.get('a');
    };
    await database.transaction(work, () => false);
    expect(cached.atHand('a')).toBeUndefined();
  });

  it('is kept only after the commit of the transaction in which it was loaded', async () => {
    await database.transaction(async () => {
      await change();
      await cached.get('a');
      expect(cached.atHand('a')).toBeUndefined();
    });
    expect(cached.atHand('a')).toEqual({ value: 'new' });
  });

  it('is not kept when the same transaction announces its change after the read', async () => {
    await database.transaction(async () => {
      await database.query('SELECT 1');
      expect(await cached.get('a')).toEqual({ value: 'old' });
      await change();
      await notifications.send('things', 'a');
    });
    expect(await cached.get('a')).toEqual({ value: 'new' });
  });
});
