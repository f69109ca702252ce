import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.js';

/**
 * The master key that protects all secrets at rest: from the configuration or, with the embedded database, from
 * `<dataDir>/master.key` (mode 0600), created at the first start. Never a constant.
 */
export async function masterKey(config: Config): Promise<Buffer> {
  if (config.keys.masterKey) return decode(config.keys.masterKey);
  const file = join(config.dataDir, 'master.key');
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  try {
    // Exclusive creation: of two processes that start together, one creates the key and the other reads it.
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.write(`${randomBytes(32).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return decode(await complete(file));
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
