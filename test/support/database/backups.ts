import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupFile } from '../../../src/platform/backup/backup-file.js';
import { examine, type RestoredBackup, restoreBackup } from '../../../src/platform/backup/restore-backup.js';
import { type Progress, type TakenBackup, takeBackup } from '../../../src/platform/backup/take-backup.js';
import { loadConfig } from '../../../src/platform/config/load-config.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { createDatabase, type TestConnection } from './database.js';

export const passphrase = 'meadow-lantern-4471-copper';
/** The master key of the installations that are backed up and restored. */
export const masterKey = Buffer.alloc(32, 7);
const secrets = new Secrets(masterKey);

const progress = (): Progress => ({ table: '', rows: 0, bytes: 0 });

/** A folder for the backups of the tests of one file, and databases that are dropped after them. */
export function useBackups(): { readonly folder: string; database(empty: boolean): Promise<TestConnection> } {
  let folder = '';
  const drops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-backups-'));
  });
  afterAll(async () => {
    for (const drop of drops) await drop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    database: async (empty) => {
      const { connection, drop } = await createDatabase({ empty });
      drops.push(drop);
      return connection;
    },
  };
}

export function backUp(connection: TestConnection, file: string, overwrite = false): Promise<TakenBackup> {
  const request = { file, overwrite, passphrase, masterKeyId: secrets.keyId, masterKey: undefined };
  return takeBackup(connection, request, progress());
}

export async function opened(name: string) {
  const file = await BackupFile.open(name);
  const backup = await file.unlock(passphrase);
  return { header: file.header, backup, ...(await examine(backup, progress())) };
}

interface Target {
  endsIssued: boolean;
  key?: Buffer;
  /** False: the key is that of the data folder, as with the embedded database. */
  namesKey?: boolean;
}

/** By file: a key is derived once for all restores. */
const openedFiles = new Map<string, ReturnType<typeof opened>>();

/** Into a database of a server of the operator's own, whose configuration names the master key. */
export async function restore(
  connection: TestConnection,
  name: string,
  { endsIssued, key = masterKey, namesKey = true }: Target,
): Promise<RestoredBackup> {
  const found = openedFiles.get(name) ?? opened(name);
  openedFiles.set(name, found);
  const { header, contents, backup } = await found;
  const named = {
    DATABASE_URL: 'postgres://named.in.the.configuration',
    GATEHOUSE_KEYS__MASTER_KEY: key.toString('hex'),
  };
  const config = loadConfig(namesKey ? named : {}, join(tmpdir(), 'no-configuration'));
  return restoreBackup(
    { config, secrets: new Secrets(key), connection },
    backup,
    { header, contents, endsIssued, keepsKey: true },
    progress(),
  );
}
