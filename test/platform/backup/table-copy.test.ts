import pg from 'pg';
import { copyIn, copyOut } from '../../../src/platform/backup/table-copy.js';
import { createDatabase } from '../../support/database/database.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ empty: true });
});
afterAll(() => database.drop());

beforeEach(async () => {
  client = new pg.Client(database.connection);
  client.on('error', () => undefined);
  await client.connect();
});
afterEach(() => client.end());

async function collected(rows: AsyncGenerator<Buffer, number>): Promise<{ bytes: Buffer; count: number }> {
  const parts: Buffer[] = [];
  let next = await rows.next();
  for (; !next.done; next = await rows.next()) parts.push(next.value);
  return { bytes: Buffer.concat(parts), count: next.value };
}

async function* each(...parts: string[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

describe('COPY', () => {
  it('returns rows and their number, and leaves the connection usable', async () => {
    const { bytes, count } = await collected(
      copyOut(client, "COPY (SELECT n, 'row ' || n FROM generate_series(1, 30000) AS n) TO STDOUT"),
    );
    const lines = bytes.toString().split('\n');
    expect([count, lines.length, lines[0], lines[29_999]]).toEqual([30_000, 30_001, '1\trow 1', '30000\trow 30000']);
    expect((await collected(copyOut(client, 'COPY (SELECT WHERE false) TO STDOUT'))).count).toBe(0);
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('reads more than the memory holds for a reader who is slow', async () => {
    const rows = copyOut(client, "COPY (SELECT repeat('x', 100000) FROM generate_series(1, 1500)) TO STDOUT");
    const began = process.memoryUsage().arrayBuffers;
    let [bytes, most] = [0, 0];
    for await (const piece of rows) {
      bytes += piece.length;
      if (bytes % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, process.memoryUsage().arrayBuffers - began);
    }
    expect(bytes).toBe(150_001_500);
    expect(most).toBeLessThan(60_000_000);
  });

  it('moves rows of 5 MB', async () => {
    await client.query('CREATE TABLE large (id int, content text)');
    await client.query('INSERT INTO large SELECT n, repeat(n::text, 5000000) FROM generate_series(1, 2) AS n');
    const { bytes, count } = await collected(copyOut(client, 'COPY large TO STDOUT'));
    expect([count, bytes.length]).toEqual([2, 10_000_006]);
    await client.query('CREATE TABLE again (LIKE large)');
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    };
    expect(await copyIn(client, 'COPY again FROM STDIN', pieces())).toBe(2);
    const { rows } = await client.query(
      'SELECT count(*)::int AS same FROM large JOIN again ON again.id = large.id AND again.content = large.content',
    );
    expect(rows).toEqual([{ same: 2 }]);
  });

  it('fails when the statement fails, at its beginning or later', async () => {
    await expect(collected(copyOut(client, 'COPY none TO STDOUT'))).rejects.toThrow('relation "none" does not exist');
    const later = copyOut(client, 'COPY (SELECT 1 / (20000 - n) FROM generate_series(1, 30000) AS n) TO STDOUT');
    await expect(collected(later)).rejects.toThrow('division by zero');
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('ends the connection when the reader stops', async () => {
    const rows = copyOut(client, 'COPY (SELECT generate_series(1, 100000000)) TO STDOUT');
    await rows.next();
    await rows.return(0);
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });

  it('fails when the connection is lost, in both directions', async () => {
    const other = new pg.Client(database.connection);
    await other.connect();
    const { rows: pids } = await client.query('SELECT pg_backend_pid() AS pid');
    const rows = copyOut(client, 'COPY (SELECT generate_series(1, 100000000)) TO STDOUT');
    await rows.next();
    await other.query('SELECT pg_terminate_backend($1)', [pids[0].pid]);
    await expect(collected(rows)).rejects.toThrow();

    await other.query('CREATE TABLE IF NOT EXISTS lost (n int)');
    const second = new pg.Client(database.connection);
    second.on('error', () => undefined);
    await second.connect();
    const { rows: own } = await second.query('SELECT pg_backend_pid() AS pid');
    const endless = async function* () {
      for (let n = 0; ; n += 1) {
        if (n === 100) await other.query('SELECT pg_terminate_backend($1)', [own[0].pid]);
        yield Buffer.from(`${n}\n`.repeat(10_000));
      }
    };
    await expect(copyIn(second, 'COPY lost FROM STDIN', endless())).rejects.toThrow();
    expect((await other.query('SELECT FROM lost')).rowCount).toBe(0);
    await other.end();
  });

  it('adds nothing when the rows end with an error or are wrong', async () => {
    await client.query('CREATE TABLE numbers (n int)');
    const failing = async function* () {
      yield* each('1\n', '2\n');
      throw new Error('the file was changed');
    };
    await expect(copyIn(client, 'COPY numbers FROM STDIN', failing())).rejects.toThrow('the file was changed');
    await expect(copyIn(client, 'COPY numbers FROM STDIN', each('1\nx\n'))).rejects.toThrow('invalid input syntax');
    await expect(copyIn(client, 'COPY none FROM STDIN', each('1\n'))).rejects.toThrow('does not exist');
    expect((await client.query('SELECT FROM numbers')).rowCount).toBe(0);
    expect(await copyIn(client, 'COPY numbers FROM STDIN', each('1\n', '2', '0\n'))).toBe(2);
    expect((await client.query('SELECT n FROM numbers ORDER BY n')).rows).toEqual([{ n: 1 }, { n: 20 }]);
  });
});
