import type { Client } from 'pg';
import type { PostgresConnection } from '../database/connection.js';
import { migrationsDone, withClient } from '../database/migrate.js';
import { refuseExisting, writeBackupFile } from './backup-file.js';
import { newHeader } from './backup-header.js';
import { BackupProblem } from './backup-problem.js';
import type { BackupContents, Frame } from './content-frames.js';
import {
  inOrderOfReferences,
  namesIn,
  partitionsOf,
  referencesOf,
  sequencesOf,
  sessionSettings,
  tablesOf,
} from './schema-tables.js';
import { copyOut } from './table-copy.js';

/** A node makes a partition once a month, a migration is rare. */
const mostBegins = 20;

export interface BackupRequest {
  file: string;
  overwrite: boolean;
  passphrase: string;
  masterKeyId: string;
  /** Undefined if the configuration names the key, which is kept elsewhere then. */
  masterKey: Buffer | undefined;
}

/** Work on a backup so far. */
export interface Progress {
  table: string;
  rows: number;
  /** Bytes of the content, which is larger than the file. */
  bytes: number;
}

export interface TakenBackup {
  tables: number;
  rows: number;
  fileBytes: number;
}

/**
 * Writes all tables of the schema, as they are at one moment, to an encrypted file, while nodes continue. The schema
 * itself is not written: its migrations are named, which make it again. Throws a {@link BackupProblem}.
 */
export async function takeBackup(
  connection: PostgresConnection,
  request: BackupRequest,
  progress: Progress,
): Promise<TakenBackup> {
  const { file, overwrite, passphrase, masterKeyId, masterKey } = request;
  if (!overwrite) await refuseExisting(file);
  return withClient(connection, async (client) => {
    const schema = await beginSnapshot(client);
    const migration = schema.migrations.at(-1);
    if (migration === undefined)
      throw new BackupProblem('There is nothing to back up: the database has no schema yet.');
    const contents = { ...schema, masterKey: masterKey?.toString('base64url') ?? null };
    const header = await newHeader({ migration, masterKeyId, hasMasterKey: masterKey !== undefined }, passphrase);
    const fileBytes = await writeBackupFile(file, framesOf(client, contents, progress), header, { overwrite });
    await client.query('COMMIT').catch(() => undefined);
    return { tables: contents.tables.length, rows: progress.rows, fileBytes };
  });
}

type Schema = Omit<BackupContents, 'masterKey'>;

/**
 * Begins a transaction whose snapshot has all tables, none of which can be dropped or changed until it ends. They are
 * locked before the snapshot is taken, so they are listed twice: what changed between is listed again.
 */
async function beginSnapshot(client: Client): Promise<Schema> {
  for (let begin = 1; ; begin += 1) {
    const before = await schemaOf(client);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(sessionSettings);
    const names = before.tables.map((table) => namesIn(client, table).table);
    const isLocked =
      names.length === 0 ||
      (await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`).then(
        () => true,
        (error: { code?: string }) => {
          if (error.code === '42P01') return false;
          throw error;
        },
      ));
    if (isLocked) {
      const schema = await schemaOf(client);
      if (isSame(schema, before)) return schema;
    }
    await client.query('ROLLBACK');
    if (begin === mostBegins) throw new BackupProblem('The schema is being changed: take the backup after that.');
  }
}

async function schemaOf(client: Client): Promise<Schema> {
  const tables = inOrderOfReferences(await tablesOf(client), await referencesOf(client));
  return {
    migrations: await migrationsDone(client),
    tables,
    partitions: await partitionsOf(client),
    sequences: await sequencesOf(client),
  };
}

function isSame(one: Schema, other: Schema): boolean {
  const [{ sequences: _, ...a }, { sequences: __, ...b }] = [one, other];
  return JSON.stringify(a) === JSON.stringify(b);
}

async function* framesOf(client: Client, contents: BackupContents, progress: Progress): AsyncGenerator<Frame> {
  yield { contents };
  for (const table of contents.tables) {
    yield { table: table.name };
    progress.table = table.name;
    const names = namesIn(client, table);
    const rows = copyOut(client, `COPY (SELECT ${names.columns} FROM ${names.table}) TO STDOUT`);
    try {
      let next = await rows.next();
      for (; !next.done; next = await rows.next()) {
        progress.bytes += next.value.length;
        yield { data: next.value };
      }
      progress.rows += next.value;
      yield { rows: next.value };
    } finally {
      await rows.return(0);
    }
  }
  yield { end: { tables: contents.tables.length, rows: progress.rows } };
}
