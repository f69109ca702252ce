import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Config } from '../config/config.js';

/**
 * The master key that protects all secrets at rest: from the configuration or, with the embedded database, from
 * `<dataDir>/master.key` (mode 0600), created at the first start. Never a constant.
 */
export async function masterKey(config: Config): Promise<Buffer> {
  return config.keys.masterKey ? decode(config.keys.masterKey) : storedMasterKey(config);
}

/** The key of the data folder. */
async function storedMasterKey({ dataDir }: Config): Promise<Buffer> {
  const file = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Exclusive creation: of two processes that start together, one creates the key and the other reads it.
  await write(file, randomBytes(32)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return decode(await complete(file));
}

/** The key, if the data folder is where it is kept. */
export async function ownMasterKey(config: Config): Promise<Buffer | undefined> {
  return config.keys.masterKey ? undefined : storedMasterKey(config);
}

/** True if there is a key already, in the configuration or in the data folder. */
export async function hasMasterKey({ keys, dataDir }: Config): Promise<boolean> {
  const isStored = () =>
    access(join(dataDir, 'master.key')).then(
      () => true,
      () => false,
    );
  return keys.masterKey !== undefined || isStored();
}

/** Puts another key into the data folder. The one of before stays, if it is kept, under the name that is returned. */
export async function replaceMasterKey(
  { dataDir }: Config,
  key: Buffer,
  { keeps }: { keeps: boolean },
): Promise<string | undefined> {
  const [file, draft] = [join(dataDir, 'master.key'), join(dataDir, `master.key.new-${process.pid}`)];
  const kept = keeps ? `${file}.before-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}` : undefined;
  try {
    await write(draft, key);
    if (kept !== undefined) await link(file, kept);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return kept;
}

/** Refuses to replace a file. */
async function write(file: string, key: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write(`${key.toString('base64url')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits for the file's content: the other process may not have written it yet. */
async function complete(file: string): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = (await readFile(file, 'utf8')).trim();
    if (text.length > 0) return text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${file} is empty`);
}

function decode(text: string): Buffer {
  return /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url');
}
