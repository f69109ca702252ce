import { createCipheriv, createDecipheriv } from 'node:crypto';
import { BackupProblem } from './backup-problem.js';

/** Bytes of content in each chunk but the last one, which has as many or fewer. */
export const chunkBytes = 65_536;
const tagBytes = 16;

/** The key of one file, for which no other content is ever sealed, and what each chunk is bound to. */
export interface Seal {
  key: Buffer;
  /** Authenticated with each chunk, so that a chunk belongs to its header. */
  context: Buffer;
}

/**
 * Encrypts content of any length with constant memory: AES-256-GCM for each chunk, with the number of the chunk and a
 * mark of the last one as nonce (the STREAM construction, as age has it). A chunk that is missing, moved, repeated or
 * added does not decrypt.
 */
export async function* sealChunks(content: AsyncIterable<Buffer>, seal: Seal): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { piece, isLast } of pieces(content, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', seal.key, nonce(number, isLast)).setAAD(seal.context);
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

/**
 * Decrypts what {@link sealChunks} made. No byte is returned before its chunk has proven authentic; `file` is for the
 * message.
 */
export async function* openChunks(sealed: AsyncIterable<Buffer>, seal: Seal, file: string): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { piece, isLast } of pieces(sealed, chunkBytes + tagBytes)) {
    const content = opened(piece, seal, nonce(number, isLast));
    if (!content) throw damage(piece, seal, { number, isLast, file });
    yield content;
    number += 1;
  }
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

/** Undefined if it is not what was sealed. */
function opened(piece: Buffer, { key, context }: Seal, iv: Buffer): Buffer | undefined {
  if (piece.length < tagBytes) return undefined;
  const at = piece.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(context);
  decipher.setAuthTag(piece.subarray(at));
  const content = decipher.update(piece.subarray(0, at));
  try {
    decipher.final();
    return content;
  } catch {
    return undefined;
  }
}

/** Tells an end at a wrong place from a change: the chunk is authentic with the other mark. */
function damage(piece: Buffer, seal: Seal, at: { number: number; isLast: boolean; file: string }): BackupProblem {
  const { number, isLast, file } = at;
  const hasOtherMark = opened(piece, seal, nonce(number, !isLast)) !== undefined;
  if (hasOtherMark && !isLast) return new BackupProblem(`${file} was changed: bytes follow after its end.`);
  if (hasOtherMark) return new BackupProblem(`${file} was cut off.`);
  return new BackupProblem(
    `${file} was ${isLast ? 'cut off or changed' : 'changed'}: part ${number + 1} is not as it was written.`,
  );
}

/** Cuts a stream into pieces of `size` bytes; the last one may be shorter, and is empty only if the stream is. */
async function* pieces(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const part of source) {
    parts.push(part);
    held += part.length;
    if (held <= size) continue;
    let rest: Buffer = Buffer.concat(parts);
    for (; rest.length > size; rest = rest.subarray(size)) yield { piece: rest.subarray(0, size), isLast: false };
    parts = [rest];
    held = rest.length;
  }
  yield { piece: Buffer.concat(parts), isLast: true };
}
