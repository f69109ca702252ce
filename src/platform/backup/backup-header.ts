import { createHash, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { equalInConstantTime } from '../crypto/secrets.js';
import { productVersion } from '../process/product.js';
import { BackupProblem } from './backup-problem.js';
import type { Seal } from './sealed-chunks.js';

/** The first line of each file, before the number of the format. */
const mark = 'GATEHOUSE BACKUP ';
const format = 1;
/** A header has some 400 bytes. */
export const longestHeader = 16_384;
/** 128 MiB of memory and half a second of CPU for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1 };
/** A file from another source must not make the process take all memory. */
const highest = { N: 2 ** 20, r: 16, p: 4 };

const headerSchema = z.object({
  /** The release that took the backup. */
  product: z.string(),
  madeAt: z.iso.datetime(),
  /** The last migration of its schema. */
  migration: z.string(),
  /** Identifies the master key under which the secrets of the database are sealed ({@link Secrets.keyId}). */
  masterKeyId: z.string(),
  hasMasterKey: z.boolean(),
  kdf: z.object({
    name: z.literal('scrypt'),
    N: z.int().min(2).max(highest.N),
    r: z.int().min(1).max(highest.r),
    p: z.int().min(1).max(highest.p),
    /** base64url */
    salt: z.string().min(16).max(128),
  }),
  /** Recognizes the passphrase. */
  check: z.string(),
});

/** Facts that are readable without the passphrase. */
export type BackupHeader = z.infer<typeof headerSchema>;

/** The header's bytes and the key that belongs to the passphrase and a new salt. */
export async function newHeader(
  facts: Pick<BackupHeader, 'migration' | 'masterKeyId' | 'hasMasterKey'>,
  passphrase: string,
): Promise<{ header: BackupHeader; bytes: Buffer; seal: Seal }> {
  const kdf = { name: 'scrypt' as const, ...cost, salt: randomBytes(32).toString('base64url') };
  const { key, check } = await derived(kdf, passphrase);
  const header = { product: productVersion, madeAt: new Date().toISOString(), ...facts, kdf, check };
  const bytes = Buffer.from(`${mark}${format}\n${JSON.stringify(header)}\n`);
  return { header, bytes, seal: { key, context: contextOf(bytes) } };
}

/** Reads the header at the beginning of a file; `bytes` may be longer. */
export function readHeader(bytes: Buffer, file: string): { header: BackupHeader; bytes: Buffer } {
  const endOfMark = bytes.indexOf('\n');
  const [, number] = new RegExp(`^${mark}(\\d{1,6})$`).exec(bytes.subarray(0, endOfMark).toString('latin1')) ?? [];
  if (endOfMark < 0 || number === undefined) throw new BackupProblem(`${file} is not a backup of Gatehouse.`);
  if (Number(number) !== format)
    throw new BackupProblem(
      `${file} has the format ${number} of another release: restore it with the release that took it.`,
    );
  const end = bytes.indexOf('\n', endOfMark + 1);
  if (end < 0) throw new BackupProblem(`${file} was cut off or changed: its header has no end.`);
  try {
    const header = headerSchema.parse(JSON.parse(bytes.subarray(endOfMark + 1, end).toString('utf8')));
    return { header, bytes: bytes.subarray(0, end + 1) };
  } catch {
    throw new BackupProblem(`${file} was changed: its header cannot be read.`);
  }
}

/** The key of the file. Throws for another passphrase. */
export async function sealOf(header: BackupHeader, bytes: Buffer, passphrase: string): Promise<Seal> {
  const { key, check } = await derived(header.kdf, passphrase);
  if (!equalInConstantTime(check, header.check))
    throw new BackupProblem('This is not the passphrase of the backup, or the header of the file was changed.');
  return { key, context: contextOf(bytes) };
}

function contextOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

const stretch = promisify<string, Buffer, number, object, Buffer>(scrypt);

async function derived({ N, r, p, salt }: BackupHeader['kdf'], passphrase: string) {
  // Composed as one: keyboards differ in how they compose letters with accents.
  const text = passphrase.normalize('NFC');
  const stretched = await stretch(text, Buffer.from(salt, 'base64url'), 32, { N, r, p, maxmem: 256 * N * r }).catch(
    () => {
      throw new BackupProblem('The header of the file was changed: its key cannot be derived.');
    },
  );
  const part = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', stretched, Buffer.alloc(0), `gatehouse-backup:${purpose}`, length));
  return { key: part('content', 32), check: part('check', 16).toString('base64url') };
}
