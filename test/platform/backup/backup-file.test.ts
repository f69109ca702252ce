import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupFile, writeBackupFile } from '../../../src/platform/backup/backup-file.js';
import { type BackupHeader, newHeader } from '../../../src/platform/backup/backup-header.js';
import type { Frame } from '../../../src/platform/backup/content-frames.js';
import { refuseNewer } from '../../../src/platform/backup/restore-backup.js';
import { passphrase } from '../../support/database/backups.js';

const facts = { migration: 'AccountRecovery1763700000083', masterKeyId: 'abcdefgh', hasMasterKey: false };
const rows = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${at}\t${Math.sin(at)}\n`).join(''));
let folder: string;
let file: string;
let original: Buffer;
/** Derived once: each time takes half a second. */
let header: Awaited<ReturnType<typeof newHeader>>;

async function* frames(): AsyncGenerator<Frame> {
  const tables = [{ name: 'account', columns: ['id', 'name'] }];
  yield { contents: { migrations: [facts.migration], tables, sequences: [], partitions: [], masterKey: null } };
  yield { table: 'account' };
  for (let at = 0; at < rows.length; at += 65_536) yield { data: rows.subarray(at, at + 65_536) };
  yield { rows: 40_000 };
  yield { end: { tables: 1, rows: 40_000 } };
}

async function read(name: string, by = passphrase): Promise<Buffer> {
  const data: Buffer[] = [];
  const opened = await (await BackupFile.open(name)).unlock(by);
  for await (const frame of opened.frames()) if ('data' in frame) data.push(frame.data);
  return Buffer.concat(data);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-file-'));
  file = join(folder, 'a.backup');
  header = await newHeader(facts, passphrase);
  await writeBackupFile(file, frames(), header, { overwrite: false });
  original = await readFile(file);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The header of the file with changes, and the rest as it is. */
function withHeader(change: (header: BackupHeader) => object): Buffer {
  const [start, end] = [original.indexOf('\n') + 1, original.indexOf('\n', original.indexOf('\n') + 1)];
  const changed = change(JSON.parse(original.subarray(start, end).toString()));
  return Buffer.concat([original.subarray(0, start), Buffer.from(JSON.stringify(changed)), original.subarray(end)]);
}

describe('A backup file', () => {
  it('has its content, can be read by its owner only, and does not show it', async () => {
    expect((await read(file)).equals(rows)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(original.includes('account')).toBe(false);
    expect((await BackupFile.open(file)).header).toMatchObject(facts);
  });

  it('is the same with a passphrase whose letters are composed in another way', async () => {
    const name = join(folder, 'composed.backup');
    await writeBackupFile(name, frames(), await newHeader(facts, 'éèñ-lantern-zürich'.normalize('NFC')), {
      overwrite: false,
    });
    expect((await read(name, 'éèñ-lantern-zürich'.normalize('NFD'))).equals(rows)).toBe(true);
  });

  it('is not replaced unless it is wanted, and then as a whole', async () => {
    const name = join(folder, 'kept.backup');
    await writeFile(name, 'mine');
    const again = (overwrite: boolean) => writeBackupFile(name, frames(), header, { overwrite });
    await expect(again(false)).rejects.toThrow(`${name} exists already; --force replaces it.`);
    expect(await readFile(name, 'utf8')).toBe('mine');
    const failing = async function* (): AsyncGenerator<Frame> {
      yield* [];
      throw new Error('the database has gone');
    };
    await expect(writeBackupFile(name, failing(), header, { overwrite: true })).rejects.toThrow(
      'the database has gone',
    );
    expect(await readFile(name, 'utf8')).toBe('mine');
    await again(true);
    expect((await read(name)).equals(rows)).toBe(true);
    expect((await readdir(folder)).filter((one) => one.endsWith('.partial'))).toEqual([]);
  });

  it('cannot be written where there is no folder', async () => {
    const name = join(folder, 'none', 'a.backup');
    await expect(writeBackupFile(name, frames(), header, { overwrite: false })).rejects.toThrow(
      `${name} cannot be written: ENOENT`,
    );
  });

  it.each<[what: string, change: () => Buffer | Promise<Buffer>, sentence: string]>([
    ['an empty file', () => Buffer.alloc(0), 'is not a backup of Gatehouse.'],
    ['another file', () => readFile('package.json'), 'is not a backup of Gatehouse.'],
    [
      'one of a later format',
      () => Buffer.concat([Buffer.from('GATEHOUSE BACKUP 2\n'), original]),
      'has the format 2 of another release: restore it with the release that took it.',
    ],
    ['a header without an end', () => original.subarray(0, 100), 'was cut off or changed: its header has no end.'],
    [
      'a header that is no JSON',
      () => Buffer.from(original.toString('latin1').replace('{', '['), 'latin1'),
      'was changed: its header cannot be read.',
    ],
    [
      'a header without a part',
      () => withHeader((header) => ({ ...header, kdf: undefined })),
      'was changed: its header cannot be read.',
    ],
    [
      'a cost that takes all memory',
      () => withHeader((header) => ({ ...header, kdf: { ...header.kdf, N: 2 ** 30 } })),
      'was changed: its header cannot be read.',
    ],
    [
      'a cost that scrypt does not know',
      () => withHeader((header) => ({ ...header, kdf: { ...header.kdf, N: 131_071 } })),
      'The header of the file was changed',
    ],
    [
      'another salt',
      () => withHeader((header) => ({ ...header, kdf: { ...header.kdf, salt: 'A'.repeat(43) } })),
      'This is not the passphrase of the backup, or the header of the file was changed.',
    ],
    [
      'another release in the header',
      () => withHeader((header) => ({ ...header, product: '9.9.9' })),
      'was changed: part 1 is not as it was written.',
    ],
    [
      'another time in the header',
      () => withHeader((header) => ({ ...header, madeAt: '2026-01-01T00:00:00.000Z' })),
      'was changed: part 1',
    ],
    ['only the header', () => original.subarray(0, original.indexOf('\n', 30) + 1), 'was cut off or changed: part 1'],
    ['half of the file', () => original.subarray(0, original.length / 2), 'was cut off or changed'],
    ['all but the last byte', () => original.subarray(0, -1), 'was cut off or changed'],
    ['a byte too many', () => Buffer.concat([original, Buffer.from([0])]), 'was cut off or changed'],
    [
      'one changed byte in the middle',
      () =>
        Buffer.concat([
          original.subarray(0, 70_000),
          Buffer.from([(original[70_000] ?? 0) ^ 1]),
          original.subarray(70_001),
        ]),
      'was changed: part 2',
    ],
  ])('is refused when it is %s', async (_what, change, sentence) => {
    const name = join(folder, 'damaged.backup');
    await writeFile(name, await change());
    await expect(read(name)).rejects.toThrow(sentence);
  });

  it('is refused when it cannot be read', async () => {
    await expect(read(join(folder, 'none.backup'))).rejects.toThrow('none.backup cannot be read: ENOENT');
    await expect(read(folder)).rejects.toThrow(`${folder} cannot be read: EISDIR`);
  });

  it('is refused with another passphrase', async () => {
    for (const wrong of ['', `${passphrase} `, passphrase.toUpperCase()])
      await expect(read(file, wrong)).rejects.toThrow('This is not the passphrase of the backup');
  });

  it('has another key and salt each time, so that equal content looks different', async () => {
    const name = join(folder, 'second.backup');
    await writeBackupFile(name, frames(), await newHeader(facts, passphrase), { overwrite: false });
    const second = await readFile(name);
    expect(second.subarray(-1_000).equals(original.subarray(-1_000))).toBe(false);
  });

  it('of a newer schema is refused before the passphrase is asked for', () => {
    expect(() => refuseNewer({ migration: 'Later9999999999999', product: '3.0.0' })).toThrow(
      /^The backup was taken by release 3\.0\.0, whose schema this release \(\d+\.\d+\.\d+\) does not know: restore it with release 3\.0\.0 or a later one\.$/,
    );
  });
});
