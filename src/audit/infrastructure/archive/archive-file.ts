import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import { randomId } from '../../../platform/crypto/secrets.js';
import { ArchiveProblem } from '../../domain/archived-event.js';

/** An event about 500 patients takes about 60 kB. */
const longestLine = 16 * 1024 * 1024;

/**
 * Writes the lines to a compressed file that is on the disk when this returns, has passed `check`, and has its name
 * only then. A file of that name is never replaced. A killed process leaves a file with the end `.partial`.
 */
export async function writeArchive(
  file: string,
  lines: AsyncIterable<string>,
  check: (written: string) => Promise<void>,
): Promise<void> {
  const partial = `${file}.${randomId().slice(0, 8)}.partial`;
  try {
    // Flushed: its content is on the disk before it gets its name.
    const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(terminated(lines)), createGzip(), target).catch(unwritable(file));
    await check(partial);
    await link(partial, file).catch(unwritable(file));
  } finally {
    await unlink(partial).catch(() => undefined);
  }
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

function unwritable(file: string) {
  return (error: unknown): never => {
    const { code, syscall, message } = error as { code?: string; syscall?: string; message: string };
    if (code === 'EEXIST') throw new ArchiveProblem(`${file} exists already, and is not replaced.`);
    // Errors of the database's connection name other calls.
    if (!/^(open|write|fsync|close|link)$/.test(syscall ?? '')) throw error;
    throw new ArchiveProblem(`${file} cannot be written: ${message}.`, { cause: error });
  };
}

/** Strings of some kilobytes: a chunk for each event would cost more than its compression. */
async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Lines of a compressed file, with constant memory. A problem begins with the name of the file. */
export async function* archiveLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  const decoder = new StringDecoder('utf8');
  let rest = '';
  try {
    for await (const chunk of source.pipe(gunzip)) {
      const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) throw new ArchiveProblem(`${file} is not an archive of the audit record.`);
      yield* lines;
    }
  } catch (error) {
    throw readable(file, error);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (rest !== '') throw new ArchiveProblem(`${file} was cut off.`);
}

function readable(file: string, error: unknown): unknown {
  const { code = '', message } = error as { code?: string; message: string };
  if (!code.startsWith('Z_') && !code.startsWith('E')) return error;
  if (code === 'Z_BUF_ERROR') return new ArchiveProblem(`${file} was cut off.`);
  if (message === 'incorrect header check') return new ArchiveProblem(`${file} is not an archive of the audit record.`);
  if (code.startsWith('Z_')) return new ArchiveProblem(`${file} was changed: its compressed content is damaged.`);
  return new ArchiveProblem(`${file} cannot be read: ${message}.`);
}
