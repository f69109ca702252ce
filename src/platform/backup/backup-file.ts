import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { randomId } from '../crypto/secrets.js';
import { type BackupHeader, longestHeader, readHeader, sealOf } from './backup-header.js';
import { BackupProblem } from './backup-problem.js';
import { decodeFrames, encodeFrames, type Frame } from './content-frames.js';
import { openChunks, type Seal, sealChunks } from './sealed-chunks.js';

const bufferBytes = 65_536;

/** Refuses a file that would be replaced, before a long backup is taken for nothing. */
export async function refuseExisting(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found) throw exists(file);
}

/**
 * Writes a file, compressed and sealed, that is complete and on the disk before it has its name; returns its size in
 * bytes. A killed process leaves a file with the end `.partial`.
 */
export async function writeBackupFile(
  file: string,
  frames: AsyncIterable<Frame>,
  { bytes, seal }: { bytes: Buffer; seal: Seal },
  { overwrite }: { overwrite: boolean },
): Promise<number> {
  const partial = `${file}.${randomId().slice(0, 8)}.partial`;
  try {
    const sealed = async function* (packed: AsyncIterable<Buffer>) {
      yield bytes;
      yield* sealChunks(packed, seal);
    };
    const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(encodeFrames(frames), createGzip({ chunkSize: bufferBytes }), sealed, target);
    // A link refuses a file that another process has made meanwhile.
    await (overwrite ? rename(partial, file) : link(partial, file));
    await syncFolder(file);
    return target.bytesWritten;
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await unlink(partial).catch(() => undefined);
  }
}

/** A file whose header is readable; its content is not, before the passphrase is known. */
export class BackupFile {
  private constructor(
    readonly name: string,
    readonly header: BackupHeader,
    private readonly bytes: Buffer,
  ) {}

  static async open(name: string): Promise<BackupFile> {
    const { header, bytes } = readHeader(await beginningOf(name), name);
    return new BackupFile(name, header, bytes);
  }

  async unlock(passphrase: string): Promise<UnlockedBackup> {
    return new UnlockedBackup(this.name, this.bytes.length, await sealOf(this.header, this.bytes, passphrase));
  }
}

export class UnlockedBackup {
  constructor(
    readonly name: string,
    private readonly start: number,
    private readonly seal: Seal,
  ) {}

  /**
   * Reads the file from its beginning, with constant memory. Throws at the first byte that is not as it was written.
   */
  async *frames(): AsyncGenerator<Frame> {
    const source = createReadStream(this.name, { start: this.start, highWaterMark: bufferBytes });
    const unpacked = createGunzip({ chunkSize: bufferBytes });
    let cause: unknown;
    const fed = pipeline(openChunks(source, this.seal, this.name), unpacked).catch((error: unknown) => {
      cause = error;
    });
    try {
      yield* decodeFrames(unpacked, this.name);
    } catch (error) {
      unpacked.destroy();
      await fed;
      // The damage, not its consequences for what reads on.
      throw cause instanceof BackupProblem ? cause : unreadable(this.name, error);
    } finally {
      unpacked.destroy();
    }
  }
}

async function beginningOf(name: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(name, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestHeader), 0, longestHeader, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadable(name, error);
  } finally {
    await handle?.close();
  }
}

/** A name is on the disk when its folder is. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

function exists(file: string): BackupProblem {
  return new BackupProblem(`${file} exists already; --force replaces it.`);
}

function unwritable(file: string, error: unknown): unknown {
  const { code, syscall, message } = error as { code?: string; syscall?: string; message: string };
  if (code === 'EEXIST') return exists(file);
  // Errors of the database's connection name other calls.
  if (!/^(open|write|fsync|close|link|rename)$/.test(syscall ?? '')) return error;
  return new BackupProblem(`${file} cannot be written: ${message}.`, { cause: error });
}

function unreadable(file: string, error: unknown): unknown {
  const { code = '', syscall, message } = error as { code?: string; syscall?: string; message: string };
  if (code.startsWith('Z_')) return new BackupProblem(`${file} cannot be unpacked: ${message}.`, { cause: error });
  if (!/^(open|read|close)$/.test(syscall ?? '')) return error;
  return new BackupProblem(`${file} cannot be read: ${message}.`, { cause: error });
}
