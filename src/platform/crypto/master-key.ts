import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Client } from 'pg';
import { type Config, masterKeyText } from '../config/config.js';
import type { PostgresConnection } from '../database/connection.js';
import { failureReason } from '../database/first-contact.js';
import { withClient } from '../database/migrate.js';
import { Secrets } from './secrets.js';

/** A key that is missing, damaged or another one. The message tells the operator, in one line, what to restore. */
export class MasterKeyProblem extends Error {}

/** Tables that are empty until an installation is used. */
const tablesWithData = ['signing_key', 'account', 'client', 'audit_event'] as const;

const fileIn = (dataDir: string) => join(dataDir, 'master.key');

/**
 * The master key that protects all secrets at rest: from the configuration or, with the embedded database, from
 * `<dataDir>/master.key` (mode 0600), created at the first start. Never a constant. Throws {@link MasterKeyProblem},
 * and writes nothing, for a database with data whose key is missing.
 */
export async function masterKey(config: Config, connection: PostgresConnection): Promise<Buffer> {
  const { keys, dataDir } = config;
  if (keys.masterKey) return decode(keys.masterKey);
  const stored = await storedMasterKey(dataDir);
  if (stored) return stored;
  const isUsed = await withClient(connection, hasData);
  // Of processes that start together, one may have made both, the key first, while this one looked.
  const made = await storedMasterKey(dataDir);
  if (made) return made;
  if (isUsed) throw new MasterKeyProblem(missing(dataDir));
  await create(dataDir);
  const created = await storedMasterKey(dataDir);
  if (!created) throw new MasterKeyProblem(`There is something at ${fileIn(dataDir)} that is not a file.`);
  return created;
}

/**
 * Throws {@link MasterKeyProblem} if the signing keys of the database were sealed with another key. A database without
 * signing keys does not tell: `gatehouse end-issued` removes them.
 */
export async function refuseOtherMasterKey(
  { keys, dataDir }: Config,
  secrets: Secrets,
  connection: PostgresConnection,
): Promise<void> {
  const sealed = await withClient(connection, sealedKeys);
  if (sealed.length === 0 || sealed.some((row) => opens(secrets, row))) return;
  const place = keys.masterKey ? 'keys.masterKey' : fileIn(dataDir);
  throw new MasterKeyProblem(
    `The master key in ${place} is not the one of this database: its signing keys were sealed with another master key. Nothing was changed. ` +
      'Put the key of this database back from its copy, or name the database of this key.',
  );
}

/** The key of the data folder; undefined if the configuration names one. */
export async function ownMasterKey({ keys, dataDir }: Config): Promise<Buffer | undefined> {
  return keys.masterKey ? undefined : storedMasterKey(dataDir);
}

/** True if there is a key already, in the configuration or in the data folder. */
export async function hasMasterKey({ keys, dataDir }: Config): Promise<boolean> {
  const isStored = () =>
    access(fileIn(dataDir)).then(
      () => true,
      () => false,
    );
  return keys.masterKey !== undefined || isStored();
}

/** Puts another key into the data folder. The one from before stays, if it is kept, under the name that is returned. */
export async function replaceMasterKey(
  { dataDir }: Config,
  key: Buffer,
  { keeps }: { keeps: boolean },
): Promise<string | undefined> {
  const file = fileIn(dataDir);
  const kept = keeps ? `${file}.before-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}` : undefined;
  await withDraft(dataDir, key, async (draft) => {
    if (kept !== undefined) await link(file, kept);
    await rename(draft, file);
  });
  return kept;
}

/** Undefined if there is no file. */
async function storedMasterKey(dataDir: string): Promise<Buffer | undefined> {
  const file = fileIn(dataDir);
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MasterKeyProblem(
      `The master key cannot be read: ${failureReason(error)} (${file}). Nothing was changed.`,
      { cause: error },
    );
  }
  if (masterKeyText.test(text)) return decode(text);
  const found =
    text === '' ? 'it is empty' : `it has ${text.length} characters, and a key is 32 bytes as base64url or hex`;
  throw new MasterKeyProblem(
    `${file} contains no master key: ${found}. Nothing was changed. Put the file back from its copy, or set keys.masterKey to the key.`,
  );
}

const missing = (dataDir: string) =>
  `The master key of this database is missing: there is no file ${fileIn(dataDir)}, and keys.masterKey is not set. Nothing was changed. ` +
  'Put the file back from its copy, or set keys.masterKey to the key. A backup of `npx gatehouse backup` contains the key, too: move ' +
  `${join(dataDir, 'postgres')} to another place, and restore the backup.`;

/** The key is complete before it has its name, and of processes that start together one gives it. */
async function create(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await withDraft(dataDir, randomBytes(32), (draft) => link(draft, fileIn(dataDir)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw new MasterKeyProblem(`The master key cannot be written: ${failureReason(error)}`, { cause: error });
  }
}

async function withDraft(dataDir: string, key: Buffer, use: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${fileIn(dataDir)}.new-${process.pid}`;
  try {
    // Left by a process that was killed and had the same number.
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.write(`${key.toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await use(draft);
    // The name survives a power cut as well as the content: the database keeps what the key has sealed.
    const folder = await open(dataDir);
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(draft, { force: true });
  }
}

async function hasData(client: Client): Promise<boolean> {
  for (const table of tablesWithData) {
    if (!(await exists(client, table))) continue;
    const { rows } = await client.query<{ used: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS used`);
    if (rows[0]?.used) return true;
  }
  return false;
}

interface SealedKey {
  kid: string;
  sealed: Buffer;
}

async function sealedKeys(client: Client): Promise<SealedKey[]> {
  if (!(await exists(client, 'signing_key'))) return [];
  return (await client.query<SealedKey>('SELECT kid, sealed FROM signing_key')).rows;
}

async function exists(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  return rows[0]?.found === true;
}

function opens(secrets: Secrets, { kid, sealed }: SealedKey): boolean {
  try {
    secrets.open('signing-keys', sealed, kid);
    return true;
  } catch {
    return false;
  }
}

function decode(text: string): Buffer {
  return /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url');
}
