import { DataSource } from 'typeorm';
import { typeOrmConnection } from '../../../src/platform/database/connection.js';
import { asUnavailable, Database } from '../../../src/platform/database/database.js';
import { makeUsable } from '../../../src/platform/database/read-only.js';
import { Prepared } from '../../../src/platform/database/statement-group.js';
import { createDatabase } from '../../support/database/database.js';
import { DatabaseProxy } from '../../support/database/database-proxy.js';

let drop: () => Promise<void>;
let dataSource: DataSource;
let database: Database;
let proxy: DatabaseProxy;
/** SQLSTATE with which the server refuses a statement, by its text. */
const refused = new Map<string, string>();
const heard: string[] = [];
const insertion = new Prepared('INSERT INTO thing VALUES ($1)');

beforeAll(async () => {
  const created = await createDatabase();
  ({ drop } = created);
  proxy = new DatabaseProxy(created.connection, (sql) => {
    heard.push(sql);
    return refused.get(sql);
  });
  const connection = typeOrmConnection(await proxy.open());
  dataSource = await new DataSource({
    type: 'postgres',
    ...connection,
    poolSize: 1,
    extra: { onConnect: makeUsable },
  }).initialize();
  database = new Database(dataSource);
  await database.query('CREATE TABLE thing (key text PRIMARY KEY)');
});

beforeEach(async () => {
  refused.clear();
  await database.query('DELETE FROM thing');
  heard.length = 0;
  proxy.roundTrips = 0;
});

afterAll(async () => {
  await dataSource.destroy();
  await proxy.shut();
  await drop();
});

const insert = (key: unknown) => database.write(insertion, [key]);
const keys = async () => {
  const { rows } = await database.query<{ key: string }>('SELECT key FROM thing ORDER BY key');
  return rows.map(({ key }) => key);
};

describe('A transaction', () => {
  it('sends writes with BEGIN and COMMIT in one round trip', async () => {
    await database.transaction(async () => {
      await insert('a');
      await insert('b');
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(['BEGIN', insertion.text, insertion.text, 'COMMIT']);
    expect(proxy.roundTrips).toBe(1);
    expect(await keys()).toEqual(['a', 'b']);
  });

  it('sends writes before the next statement, which sees them, also one of TypeORM', async () => {
    await database.transaction(async () => {
      await insert('a');
      expect(await keys()).toEqual(['a']);
      await insert('b');
      expect(await database.manager.query('SELECT key FROM thing ORDER BY key')).toEqual([{ key: 'a' }, { key: 'b' }]);
    });
    expect(proxy.roundTrips).toBe(3);
  });

  it('commits with its last statement in one round trip, and executes none after it', async () => {
    const work = async () => {
      await insert('a');
      await database.queryAndCommit(insertion, ['b']);
      await expect(insert('c')).rejects.toThrow('the transaction has ended');
      await expect(keys()).rejects.toThrow('the transaction has ended');
    };
    await database.transaction(work, () => false);
    expect(heard).toEqual(['BEGIN', insertion.text, insertion.text, 'COMMIT']);
    expect(proxy.roundTrips).toBe(1);
    expect(await keys()).toEqual(['a', 'b']);
  });

  it('keeps nothing when its last statement fails, also if its use case ignores that', async () => {
    const work = async () => {
      await insert('a');
      await expect(database.queryAndCommit(insertion, ['a'])).rejects.toMatchObject({ code: '23505' });
      await expect(insert('b')).rejects.toThrow('the transaction has ended');
    };
    await expect(database.transaction(work)).rejects.toThrow('the transaction has ended');
    expect(heard).toEqual(['BEGIN', insertion.text, insertion.text, 'COMMIT', 'ROLLBACK']);
    expect(await keys()).toEqual([]);
    await database.transaction(() => insert('c'));
    expect(await keys()).toEqual(['c']);
  });

  it('sends nothing when it is rolled back before its writes were needed', async () => {
    const result = database.transaction(
      async () => {
        await insert('a');
        return 'a result';
      },
      () => false,
    );
    expect(await result).toBe('a result');
    expect(heard).toEqual([]);
  });

  it('fails when one of its writes fails, and keeps none of them', async () => {
    const work = async () => {
      await insert('a');
      await insert('a');
      await insert('b');
    };
    await expect(database.transaction(work)).rejects.toMatchObject({ code: '23505' });
    expect(await keys()).toEqual([]);
    await database.transaction(() => insert('c'));
    expect(await keys()).toEqual(['c']);
  });

  it('sends no further statement after one has failed, and cannot be kept', async () => {
    const work = async () => {
      await insert('a');
      await expect(database.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
      await expect(keys()).rejects.toMatchObject({ code: '22012' });
      return 'kept';
    };
    await expect(database.transaction(work)).rejects.toMatchObject({ code: '22012' });
    expect(heard).toEqual(['BEGIN', insertion.text, 'SELECT 1 / 0', 'ROLLBACK']);
    expect(await keys()).toEqual([]);
  });

  it('runs no statement when BEGIN fails', async () => {
    refused.set('BEGIN', '57014');
    const failed: unknown[] = [];
    const work = async () => {
      for (const key of ['a', 'b']) {
        await insert(key);
        await keys().catch((error: unknown) => failed.push(error));
      }
    };
    await expect(database.transaction(work)).rejects.toMatchObject({ code: '57014' });
    expect(failed).toHaveLength(2);
    expect(await keys()).toEqual([]);
  });

  it('is not kept when COMMIT fails', async () => {
    refused.set('COMMIT', '57014');
    await expect(database.transaction(() => insert('a'))).rejects.toMatchObject({ code: '57014' });
    expect(await keys()).toEqual([]);
  });

  it('keeps nothing when a parameter cannot be encoded, and leaves a connection that can be used', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const other = new Prepared("INSERT INTO thing VALUES ($1 || ' of another statement')");
    const work = (key: unknown) => async () => {
      await insert('a');
      await database.write(other, [key]);
    };
    await expect(database.transaction(work(circular))).rejects.toThrow('circular');
    expect(await keys()).toEqual([]);
    await database.transaction(work('b'));
    expect(await keys()).toEqual(['a', 'b of another statement']);
  });

  it('parses a prepared statement again when the connection has refused the statement before it', async () => {
    const other = new Prepared("INSERT INTO thing VALUES ($1 || ' again')");
    const work = (first: string) => async () => {
      await database.query(`INSERT INTO thing VALUES ('${first}')`);
      await database.write(`INSERT INTO thing VALUES ('${first}')`.replace(first, 'x'));
      await database.write(other, ['b']);
    };
    await database.transaction(() => insert('x'));
    await expect(database.transaction(work('y'))).rejects.toMatchObject({ code: '23505' });
    await database.query("DELETE FROM thing WHERE key = 'x'");
    await database.transaction(work('z'));
    expect(await keys()).toEqual(['b again', 'x', 'z']);
  });

  it('refuses statements after its end, when others use the connection', async () => {
    let end: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    let late: Promise<unknown> | undefined;
    await database.transaction(async () => {
      await insert('a');
      late = isOver.then(keys);
    });
    end();
    await expect(late).rejects.toThrow('the transaction has ended');
  });

  it('fails as unavailable when its connection ends, also with unsent writes', async () => {
    const work = async () => {
      await keys();
      proxy.breakAll();
      await insert('a');
    };
    const error = await database.transaction(work).catch((caught: unknown) => caught);
    expect(asUnavailable(error)?.kind).toBe('unavailable');
    expect(await keys()).toEqual([]);
  });
});
