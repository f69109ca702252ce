import type { Client } from 'pg';
import { counted } from '../../contract/messages/counted.js';
import type { UnlockedBackup } from './backup-file.js';
import { BackupProblem } from './backup-problem.js';
import type { BackedUpTable, BackupContents, Frame } from './content-frames.js';
import { namesIn, partitionsOf, sessionSettings, tablesOf } from './schema-tables.js';
import { copyIn } from './table-copy.js';
import type { Progress } from './take-backup.js';

export interface LoadedRows {
  tables: number;
  rows: number;
  /** Tables that are not of Gatehouse, which someone has added to its schema. */
  skipped: string[];
}

/** The partition of what was recorded before there were partitions; all others are of one month. */
const carried = 'audit_event_carried';

/**
 * Replaces all rows of the schema by those of the backup, in the transaction of the caller. Triggers do not run: the
 * rows include what they have written. `assertAlone` is called when all tables are locked.
 */
export async function loadRows(
  client: Client,
  backup: UnlockedBackup,
  assertAlone: () => Promise<void>,
  progress: Progress,
): Promise<LoadedRows> {
  await client.query(sessionSettings);
  const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]));
  const withTriggers = [...tables.keys(), ...(await partitionsOf(client)).map(({ name }) => name)];
  await setTriggers(client, 'DISABLE', withTriggers);
  const names = [...tables.values()].map((table) => namesIn(client, table).table);
  await client.query(`TRUNCATE ${names.join(', ')} RESTART IDENTITY`);
  await assertAlone();
  const loaded: LoadedRows = { tables: 0, rows: 0, skipped: [] };
  let contents: BackupContents | undefined;
  const frames = backup.frames();
  try {
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      const frame = next.value;
      if ('contents' in frame) {
        contents = frame.contents;
        refuseIncomplete(tables, contents, backup.name);
        await makePartitions(client, contents.partitions);
      } else if ('table' in frame && contents) {
        progress.table = frame.table;
        const table = contents.tables.find(({ name }) => name === frame.table);
        if (table && tables.has(frame.table)) {
          loaded.rows += await loadTable(client, table, frames, progress);
          loaded.tables += 1;
        } else loaded.skipped.push(frame.table);
      }
    }
  } finally {
    await frames.return(undefined);
  }
  for (const { name, value } of contents?.sequences ?? []) {
    await client.query('SELECT setval(to_regclass(quote_ident($1)), $2::bigint)', [name, value]);
  }
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  await setTriggers(client, 'ENABLE', [...tables.keys(), ...(await partitionsOf(client)).map(({ name }) => name)]);
  return loaded;
}

async function setTriggers(client: Client, what: 'DISABLE' | 'ENABLE', tables: string[]): Promise<void> {
  for (const table of tables) await client.query(`ALTER TABLE ${client.escapeIdentifier(table)} ${what} TRIGGER USER`);
}

/**
 * The migrations of the backup have made this schema, so both have the same tables, unless someone has changed one of
 * them.
 */
function refuseIncomplete(tables: ReadonlyMap<string, BackedUpTable>, contents: BackupContents, file: string): void {
  const inFile = new Map(contents.tables.map((table) => [table.name, table]));
  for (const [name, { columns }] of tables) {
    const stored = inFile.get(name);
    if (!stored) throw new BackupProblem(`${file} does not have the table ${name} of its own schema.`);
    const foreign = stored.columns.find((column) => !columns.includes(column));
    if (foreign !== undefined)
      throw new BackupProblem(`${file} has a column ${name}.${foreign}, which is not of the schema of its release.`);
  }
}

/** Loads the rows of one table, whose number follows them. */
async function loadTable(
  client: Client,
  table: BackedUpTable,
  frames: AsyncGenerator<Frame>,
  progress: Progress,
): Promise<number> {
  let expected = Number.NaN;
  const data = async function* (): AsyncGenerator<Buffer> {
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if ('rows' in next.value) {
        expected = next.value.rows;
        return;
      }
      if (!('data' in next.value)) return;
      progress.bytes += next.value.data.length;
      yield next.value.data;
    }
  };
  const names = namesIn(client, table);
  const rows = await copyIn(client, `COPY ${names.table} (${names.columns}) FROM STDIN`, data());
  if (rows !== expected)
    throw new BackupProblem(`The table ${table.name} got ${counted(rows, 'row')} instead of ${expected}.`);
  progress.rows += rows;
  return rows;
}

/**
 * Gives the audit record the partitions of the backup: a month can be removed with its partition only if it has one.
 */
async function makePartitions(client: Client, partitions: BackupContents['partitions']): Promise<void> {
  const limits = new Map(partitions.map(({ name, to }) => [name, to]));
  for (const { name } of await partitionsOf(client)) {
    const partition = client.escapeIdentifier(name);
    await client.query(`ALTER TABLE audit_event DETACH PARTITION ${partition}`);
    const limit = name === carried ? limits.get(name) : undefined;
    if (limit === undefined) await client.query(`DROP TABLE ${partition}`);
    else
      await client.query(
        `ALTER TABLE audit_event ATTACH PARTITION ${partition} FOR VALUES FROM (MINVALUE) TO (${client.escapeLiteral(limit)})`,
      );
  }
  for (const { name, from } of partitions) {
    if (name !== carried) await client.query('SELECT make_audit_partition($1::timestamptz)', [from]);
  }
}
