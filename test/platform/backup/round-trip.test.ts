import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { endAllIssued, issuedTables } from '../../../src/platform/backup/issued-access.js';
import { tablesOf } from '../../../src/platform/backup/schema-tables.js';
import type { TakenBackup } from '../../../src/platform/backup/take-backup.js';
import { known, makeSchema, migrate } from '../../../src/platform/database/migrate.js';
import { everyRow, fillTables } from '../../support/database/any-rows.js';
import { backUp, restore } from '../../support/database/backups.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { schemaOf } from '../../support/database/schema.js';

let folder: string;
const drops: (() => Promise<void>)[] = [];
/** A database with rows in each table, and its backup. */
let source: TestConnection;
let file: string;
let taken: TakenBackup;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'));
  source = await database();
  await filled(source);
  await withClient(source, (client) => client.query("UPDATE job SET kind = 'mail'"));
  file = join(folder, 'whole.backup');
  taken = await backUp(source, file);
});
afterAll(async () => {
  for (const drop of drops) await drop();
  await rm(folder, { recursive: true, force: true });
});

async function database(options?: { empty?: boolean }): Promise<TestConnection> {
  const { connection, drop } = await createDatabase(options);
  drops.push(drop);
  return connection;
}

async function withClient<T>(connection: TestConnection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  return work(client).finally(() => client.end());
}

/** A database with rows in each table, among them audit events of four years. */
async function filled(connection: TestConnection): Promise<void> {
  await withClient(connection, async (client) => {
    await client.query("SELECT make_audit_partition(now() + interval '7 months')");
    await fillTables(client);
    await client.query(`INSERT INTO audit_event (type, outcome, recorded_at)
      SELECT 'login', 'success', now() + make_interval(months => month) FROM generate_series(-40, 3) AS month`);
    await client.query('CREATE TABLE tools_of_the_operator (note text)');
    await client.query("INSERT INTO tools_of_the_operator VALUES ('mine')");
  });
}

/** The rows of a restored database, without those that the restore itself has recorded. */
async function restoredRows(connection: TestConnection) {
  return withClient(connection, async (client) => {
    await client.query('ALTER TABLE audit_event DISABLE TRIGGER USER');
    const { rowCount } = await client.query(
      `WITH own AS (DELETE FROM audit_event WHERE type = 'backup.restored' RETURNING id)
       DELETE FROM audit_unsealed WHERE event_id IN (SELECT id FROM own)`,
    );
    await client.query('ALTER TABLE audit_event ENABLE TRIGGER USER');
    return { recorded: rowCount, rows: await everyRow(client) };
  });
}

/** The event of the restore has taken one number. */
function expectSequences(rows: Map<string, string[]>, before: Map<string, string[]>): void {
  const [found = [], expected = []] = [rows, before].map((all) => all.get(' sequences'));
  const taken = (line: string) => line.replace(/(?<=^audit_event_id_seq )\d+/, (number) => String(Number(number) + 1));
  expect(found).toEqual(expected.map(taken));
  for (const all of [rows, before]) all.delete(' sequences');
}

describe('A restored backup', () => {
  it('has each row of each table, the partitions, sequences and triggers, and only those', async () => {
    const before = await withClient(source, everyRow);
    for (const [table, rows] of before) expect([table, rows.length > 0]).toEqual([table, true]);
    const target = await database({ empty: true });
    const restored = await restore(target, file, { endsIssued: false });
    expect(restored).toMatchObject({ skipped: ['tools_of_the_operator'], ended: undefined, migrated: [] });
    expect(restored.rows).toBe(taken.rows - 1);
    const { rows, recorded } = await restoredRows(target);
    expect(recorded).toBe(1);
    before.delete('tools_of_the_operator');
    expectSequences(rows, before);
    expect(rows).toEqual(before);
    const own = (lines: string[]) => lines.filter((line) => !line.includes('tools_of_the_operator'));
    expect(own(await schemaOf(target))).toEqual(own(await schemaOf(source)));
    // Sequences go on behind the restored rows.
    await withClient(target, (client) =>
      client.query("INSERT INTO audit_event (type, outcome) VALUES ('login', 'success')"),
    );
  });

  it('goes into a database that a portal has migrated, but that holds no data', async () => {
    const target = await database();
    await restore(target, file, { endsIssued: false });
    const before = await withClient(source, everyRow);
    const { rows } = await restoredRows(target);
    expectSequences(rows, before);
    before.delete('tools_of_the_operator');
    expect(rows).toEqual(before);
  });

  it('of an older schema is migrated, also into a database that has the newest one', async () => {
    const older = await database({ empty: true });
    await makeSchema(older, known.slice(0, -1));
    await withClient(older, fillTables);
    const olderFile = join(folder, 'older.backup');
    await backUp(older, olderFile);
    // As the newest schema has the rows: its columns are in their text.
    await migrate(older);
    const before = await withClient(older, everyRow);
    for (const empty of [true, false]) {
      const target = await database({ empty });
      const { migrated } = await restore(target, olderFile, { endsIssued: false });
      expect(migrated).toEqual(known.slice(-1));
      const { rows } = await restoredRows(target);
      for (const [table, expected] of before) {
        if (table !== ' sequences' && table !== 'migrations')
          expect([table, rows.get(table)]).toEqual([table, expected]);
      }
    }
  });

  it('without anything issued has no session, grant, token, link, key or mail', async () => {
    const target = await database({ empty: true });
    const { ended } = await restore(target, file, { endsIssued: true });
    expect(ended).toMatchObject({ links: 1, mails: 1 });
    const { rows } = await restoredRows(target);
    const empty = [...rows].filter(([, found]) => found.length === 0).map(([table]) => table);
    expect(empty.sort()).toEqual([...issuedTables, 'job'].sort());
  });

  it('with everything issued can lose it later, while no node runs', async () => {
    const target = await database({ empty: true });
    await restore(target, file, { endsIssued: false });
    const node = new pg.Client({ ...target, application_name: 'gatehouse notifications 9.8.7' });
    await node.connect();
    await expect(endAllIssued(target)).rejects.toThrow('Nodes of Gatehouse use the database (1 of 9.8.7): stop them');
    await node.end();
    const before = await withClient(target, everyRow);
    expect([...before].filter(([, found]) => found.length === 0)).toEqual([]);
    expect(await endAllIssued(target)).toMatchObject({ links: 1, mails: 1 });
    const rows = await withClient(target, everyRow);
    const empty = [...rows].filter(([, found]) => found.length === 0).map(([table]) => table);
    expect(empty.sort()).toEqual([...issuedTables, 'job'].sort());
    const recorded = await withClient(target, (client) =>
      client.query("SELECT detail FROM audit_event WHERE type = 'issued.ended'"),
    );
    expect(recorded.rows).toMatchObject([{ detail: { links: 1, mails: 1 } }]);
  });

  it('is refused under another master key than its own, and the database stays empty', async () => {
    const target = await database({ empty: true });
    const key = Buffer.alloc(32, 8);
    await expect(restore(target, file, { endsIssued: true, key })).rejects.toThrow(
      /^keys\.masterKey is another key than that of the backup \(.+\), without which its data cannot be read: configure that key\.$/,
    );
    await expect(restore(target, file, { endsIssued: true, key, namesKey: false })).rejects.toThrow(
      /^The backup does not contain its master key \(.+\), because the configuration named it, and the key in .+ is another one: set keys\.masterKey/,
    );
    expect(await withClient(target, tablesOf)).toEqual([]);
  });

  it('is refused if a table or column was removed from the schema or added to it, and the database stays empty', async () => {
    for (const [change, sentence] of [
      [
        'ALTER TABLE client ADD COLUMN ward text',
        'has a column client.ward, which is not of the schema of its release.',
      ],
      ['DROP TABLE account_link', 'does not have the table account_link of its own schema.'],
    ] as const) {
      const changed = await database();
      await withClient(changed, (client) => client.query(change));
      const changedFile = join(folder, `${change.slice(0, 4)}.backup`);
      await backUp(changed, changedFile);
      const target = await database({ empty: true });
      await expect(restore(target, changedFile, { endsIssued: true })).rejects.toThrow(sentence);
      const rows = await withClient(target, (client) => client.query('SELECT FROM audit_event'));
      expect(rows.rowCount).toBe(0);
    }
  });

  it('is refused where the schema cannot be made again, because it belongs to someone else', async () => {
    const target = await database({ empty: true });
    await makeSchema(target, known.slice(0, -1));
    const user = `reader_${Date.now()}`;
    await withClient(target, (client) =>
      client.query(`CREATE ROLE ${user} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${user}`),
    );
    await expect(restore({ ...target, user }, file, { endsIssued: true })).rejects.toThrow(
      'The schema of the database cannot be made again: create an empty database',
    );
    await withClient(target, (client) => client.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`));
  });

  it('cannot be taken of a database without a schema', async () => {
    const empty = await database({ empty: true });
    await expect(backUp(empty, join(folder, 'none.backup'))).rejects.toThrow(
      'There is nothing to back up: the database has no schema yet.',
    );
  });

  it('is refused where data is, and leaves it as it is', async () => {
    const target = await database();
    await filled(target);
    const before = await withClient(target, everyRow);
    await expect(restore(target, file, { endsIssued: true })).rejects.toThrow(
      'This installation has data (1 user, 1 client), which is never replaced: create an empty database, name it in database.url, and repeat the command.',
    );
    expect(await withClient(target, everyRow)).toEqual(before);
    const foreign = await database({ empty: true });
    await withClient(foreign, (client) => client.query('CREATE TABLE wards (name text)'));
    await expect(restore(foreign, file, { endsIssued: true })).rejects.toThrow(
      'tables of something else (such as wards)',
    );
  });

  it('is refused while a node or another session uses the database, also one that comes later', async () => {
    const target = await database({ empty: true });
    for (const [name, sentence] of [
      ['gatehouse notifications 9.8.7', 'Nodes of Gatehouse use the database (1 of 9.8.7): stop them'],
      ['psql', '1 other session uses the database: end them'],
    ]) {
      const other = new pg.Client({ ...target, application_name: name });
      await other.connect();
      await expect(restore(target, file, { endsIssued: true })).rejects.toThrow(sentence);
      await other.end();
    }
  });
});
