import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { OidcRecords } from '../../../src/oidc-store/infrastructure/oidc-records.js';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { Database } from '../../../src/platform/database/database.js';
import { GroupCommit } from '../../../src/platform/database/group-commit.js';
import { createDatabase } from '../../support/database/database.js';

let drop: () => Promise<void>;
let dataSource: DataSource;
let database: Database;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  dataSource = await new DataSource({ type: 'postgres', ...typeOrmConnection(created.connection) }).initialize();
  database = new Database(dataSource);
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

describe('A group commit', () => {
  it('runs the first item at once, and items that arrive meanwhile together, up to a limit', async () => {
    const begun: string[][] = [];
    const gathered = new GroupCommit(async (items: string[]) => {
      begun.push(items);
      await sleep(5);
      return items.map((item) => item.toUpperCase());
    }, 3);
    const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => gathered.submit(item)));
    expect(begun).toEqual([['a']]);
    await expect(answers).resolves.toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(begun).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
    await expect(gathered.submit('f')).resolves.toBe('F');
  });

  it('fails for the item that caused the failure only', async () => {
    const gathered = new GroupCommit(async (items: string[]) => {
      await sleep(1);
      if (items.includes('bad')) throw new Error('bad');
      return items;
    });
    const asked = ['first', 'good', 'bad', 'fine'].map((item) => gathered.submit(item));
    const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails for all items of a batch at once when the database is away', async () => {
    const asked: string[][] = [];
    const away = Object.assign(new Error('the server is shutting down'), { code: '57P01' });
    const gathered = new GroupCommit(async (items: string[]) => {
      asked.push(items);
      await sleep(1);
      throw away;
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => gathered.submit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toEqual([['a']]);
  });
});

describe('A mark of single use', () => {
  const everyMark = ['one', 'two', 'three', 'four', 'five'];

  it('is set by exactly one of several simultaneous users, on one node and on several', async () => {
    const nodes = [new OidcRecords(database), new OidcRecords(database)];
    const uses = Array.from({ length: 40 }, (_, index) => ({ node: nodes[index % 2], mark: everyMark[index % 5] }));
    const won = await Promise.all(
      uses.map(async ({ node, mark = '' }) => (await node?.insertOnce('ReplayDetection', mark, 60)) && mark),
    );
    expect(won.filter(Boolean).sort()).toEqual([...everyMark].sort());
    await expect(nodes[0]?.insertOnce('DPoP', 'one', 60)).resolves.toBe(true);
  });

  it('stays when its use case fails before its first write, and is rolled back with one that has written', async () => {
    const records = new OidcRecords(database);
    const failing = (work: () => Promise<unknown>) =>
      database.transaction(async () => {
        await work();
        throw new Error('later');
      });
    await expect(failing(() => records.insertOnce('ReplayDetection', 'early', 60))).rejects.toThrow('later');
    await expect(records.insertOnce('ReplayDetection', 'early', 60)).resolves.toBe(false);
    const late = async () => {
      await database.query('SELECT 1');
      await records.insertOnce('ReplayDetection', 'late', 60);
    };
    await expect(failing(late)).rejects.toThrow('later');
    await expect(records.insertOnce('ReplayDetection', 'late', 60)).resolves.toBe(true);
  });
});
