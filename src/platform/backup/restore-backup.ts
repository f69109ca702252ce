import { join } from 'node:path';
import type { Client } from 'pg';
import { recording } from '../audit/audit.js';
import { replaceMasterKey } from '../crypto/master-key.js';
import { Secrets } from '../crypto/secrets.js';
import { known, migrate, takeMigrationLock, withClient } from '../database/migrate.js';
import type { Runtime } from '../platform.module.js';
import { productVersion } from '../process/product.js';
import type { UnlockedBackup } from './backup-file.js';
import type { BackupHeader } from './backup-header.js';
import { BackupProblem } from './backup-problem.js';
import type { BackupContents } from './content-frames.js';
import { type EndedAccess, endIssued } from './issued-access.js';
import { type LoadedRows, loadRows } from './load-rows.js';
import { prepareSchema, processOf, refuseOtherSessions } from './restore-target.js';
import type { Progress } from './take-backup.js';

export interface RestoredBackup extends LoadedRows {
  /** Undefined if it was kept. */
  ended: EndedAccess | undefined;
  /** Requests to delete an account that wait for their day. */
  waitingDeletions: number;
  /** Migrations that ran after the rows were there. */
  migrated: string[];
  /** The file that keeps the master key from before, if it was replaced. */
  keptKey: string | undefined;
}

export interface RestoreRequest {
  header: BackupHeader;
  contents: BackupContents;
  endsIssued: boolean;
  /** False if the key in the data folder has protected nothing. */
  keepsKey: boolean;
}

/**
 * Refuses a schema that this release does not know. The header suffices, so that the passphrase is not asked for
 * nothing.
 */
export function refuseNewer({ migration, product }: Pick<BackupHeader, 'migration' | 'product'>): void {
  if (known.includes(migration)) return;
  throw new BackupProblem(
    `The backup was taken by release ${product}, whose schema this release (${productVersion}) does not know: restore it with release ` +
      `${product} or a later one.`,
  );
}

/** Reads the whole file and changes nothing. Throws at the first damage. */
export async function examine(
  backup: UnlockedBackup,
  progress: Progress,
): Promise<{ contents: BackupContents; rows: number }> {
  let contents: BackupContents | undefined;
  let rows = 0;
  for await (const frame of backup.frames()) {
    if ('contents' in frame) contents = frame.contents;
    else if ('table' in frame) progress.table = frame.table;
    else if ('data' in frame) progress.bytes += frame.data.length;
    else if ('rows' in frame) progress.rows += frame.rows;
    else rows = frame.end.rows;
  }
  if (!contents) throw new BackupProblem(`${backup.name} has no contents.`);
  return { contents, rows };
}

/**
 * Restores a backup that {@link examine} has read, into a database without data: all rows in one transaction, in which
 * everything that was issued ends if `endsIssued`. A process that is killed leaves an empty database or a restored one.
 */
export async function restoreBackup(
  runtime: Runtime,
  backup: UnlockedBackup,
  { header, contents, endsIssued, keepsKey }: RestoreRequest,
  progress: Progress,
): Promise<RestoredBackup> {
  const { config, connection } = runtime;
  const unknown = contents.migrations.find((name) => !known.includes(name));
  if (unknown !== undefined) refuseNewer({ ...header, migration: unknown });
  const newKey = keyToPut(runtime, header, contents);
  const advice = config.database.url
    ? 'create an empty database, name it in database.url, and repeat the command.'
    : `move ${join(config.dataDir, 'postgres')} to another place, and repeat the command.`;
  const result = await withClient(connection, async (lock) => {
    await refuseOtherSessions(lock, [await processOf(lock)]);
    await takeMigrationLock(lock, {});
    return withClient(connection, async (client) => {
      const own = [await processOf(lock), await processOf(client)];
      await prepareSchema(client, connection, contents.migrations, advice);
      // Then any key is the key of the empty database: a process that is killed here leaves nothing that does not fit.
      if (newKey) await client.query('DELETE FROM signing_key');
      const keptKey = newKey && (await replaceMasterKey(config, newKey, { keeps: keepsKey }));
      await client.query('BEGIN');
      const loaded = await loadRows(client, backup, () => refuseOtherSessions(client, own), progress);
      const ended = endsIssued ? await endIssued(client) : undefined;
      const { madeAt, product } = header;
      const detail = { madeAt, product, rows: loaded.rows, issued: ended ?? 'kept' };
      await client.query('SELECT make_audit_partition(now())');
      await client.query(recording({ type: 'backup.restored', outcome: 'success', detail }));
      const waitingDeletions = await countOf(client, 'account_deletion');
      await client.query('COMMIT');
      return { ...loaded, ended, waitingDeletions, keptKey };
    });
  });
  const migrated = await migrate(connection);
  // Statistics that the server would gather by itself later, when requests have already waited for bad plans.
  await withClient(connection, (client) => client.query('SET statement_timeout = 0; ANALYZE'));
  return { ...result, migrated };
}

/**
 * The key of the backup, if it has to take the place of the one in the data folder; undefined if that one fits. The
 * database is worthless under another key.
 */
function keyToPut({ config, secrets }: Runtime, { masterKeyId }: BackupHeader, { masterKey }: BackupContents) {
  if (secrets.keyId === masterKeyId) return undefined;
  if (config.keys.masterKey)
    throw new BackupProblem(
      `keys.masterKey is another key than that of the backup (${masterKeyId}), without which its data cannot be read: configure that key.`,
    );
  if (masterKey === null)
    throw new BackupProblem(
      `The backup does not contain its master key (${masterKeyId}), because the configuration named it, and the key in ${config.dataDir} is ` +
        'another one: set keys.masterKey to the key of the backup.',
    );
  const key = Buffer.from(masterKey, 'base64url');
  if (new Secrets(key).keyId !== masterKeyId) throw new BackupProblem('The master key in the backup is not its own.');
  return key;
}

async function countOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
  return rows[0]?.count ?? 0;
}
