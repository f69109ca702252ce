import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { asUnavailable, Database } from '../../../src/platform/database/database.js';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { makeUsable } from '../../../src/platform/database/read-only.js';
import { log } from '../../../src/platform/logging/log.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';
import { PostgresPair } from '../../support/database/postgres-pair.js';
import { until } from '../../support/until.js';

let pair: PostgresPair;
let proxy: DatabaseProxy;
let dataSource: DataSource;
let database: Database;
let besideTheProxy: Notifications;

beforeAll(async () => {
  log.level = 'silent';
  pair = await PostgresPair.start();
  proxy = new DatabaseProxy(pair.primary.connection);
  const extra = { query_timeout: 3_000, onConnect: makeUsable };
  dataSource = await new DataSource({
    type: 'postgres',
    ...typeOrmConnection(await proxy.open()),
    extra,
  }).initialize();
  database = new Database(dataSource);
  besideTheProxy = new Notifications(pair.primary.connection, database);
  await besideTheProxy.onApplicationBootstrap();
});
afterAll(async () => {
  await besideTheProxy?.onModuleDestroy();
  await dataSource?.destroy();
  await proxy?.shut();
  await pair?.remove();
});

const works = () =>
  database.query('SELECT 1').then(
    () => true,
    () => false,
  );

describe('R-06 When an old primary runs on after another server was promoted', () => {
  it('a node that has met the new primary neither queries the old one nor listens to it', async () => {
    expect(await works()).toBe(true);
    expect(besideTheProxy.isListening).toBe(true);

    await pair.standby.query('SELECT pg_promote()');
    proxy.switchTo(pair.standby.connection);
    await until(works);
    await until(() => !besideTheProxy.isListening);

    proxy.switchTo(pair.primary.connection);
    const refused: unknown[] = [];
    while (refused.length < 3)
      await database.query('SELECT 1').then(
        () => Promise.reject(new Error('the old primary was queried')),
        (error: unknown) => refused.push(error),
      );
    expect(refused.map((error) => asUnavailable(error)?.status)).toEqual([503, 503, 503]);
    expect(refused.map(String).join()).toContain('is an old primary: its timeline is 1, after 2');
    expect(await database.isReachable()).toBe(false);
    expect(besideTheProxy.isListening).toBe(false);

    proxy.switchTo(pair.standby.connection);
    await until(works);
  });
});
