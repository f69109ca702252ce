import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { writeBackupFile } from '../../../src/platform/backup/backup-file.js';
import { newHeader } from '../../../src/platform/backup/backup-header.js';
import type { BackupContents, Frame } from '../../../src/platform/backup/content-frames.js';
import { tablesOf } from '../../../src/platform/backup/schema-tables.js';
import { sealChunks } from '../../../src/platform/backup/sealed-chunks.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { known } from '../../../src/platform/database/migrate.js';
import { backUp, masterKey, opened, passphrase, restore, useBackups } from '../../support/database/backups.js';
import type { TestConnection } from '../../support/database/database.js';
import { until } from '../../support/until.js';

const place = useBackups();
const { keyId } = new Secrets(masterKey);
const facts = { migration: known.at(-1) ?? '', masterKeyId: keyId, hasMasterKey: false };

async function connected<T>(connection: TestConnection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  return work(client).finally(() => client.end());
}

/** A file of a whole backup without rows, as another release could have written it: authentic, and not what it says. */
async function written(
  name: string,
  change: { masterKeyId?: string; contents?: Partial<BackupContents>; missing?: number },
): Promise<string> {
  const whole = join(place.folder, `whole-${name}`);
  await backUp(await place.database(false), whole);
  const { contents, backup } = await opened(whole);
  const frames = async function* (): AsyncGenerator<Frame> {
    const missing = change.missing ?? 0;
    for await (const frame of backup.frames()) {
      if ('contents' in frame) yield { contents: { ...contents, ...change.contents } };
      else if ('rows' in frame) yield { rows: frame.rows + missing };
      else if ('end' in frame) yield { end: { ...frame.end, rows: frame.end.rows + missing * contents.tables.length } };
      else yield frame;
    }
  };
  const file = join(place.folder, name);
  const header = await newHeader(
    { ...facts, ...(change.masterKeyId && { masterKeyId: change.masterKeyId }) },
    passphrase,
  );
  await writeBackupFile(file, frames(), header, { overwrite: false });
  return file;
}

async function restoreInto(file: string, options: { key?: Buffer; namesKey?: boolean } = {}) {
  const target = await place.database(true);
  await restore(target, file, { endsIssued: true, ...options }).finally(async () => {
    const rows = await connected(target, async (client) =>
      (await tablesOf(client)).some(({ name }) => name === 'audit_event')
        ? (await client.query('SELECT FROM audit_event')).rowCount
        : 0,
    );
    expect(rows).toBe(0);
  });
}

/** Changes the schema each time the backup has listed it and waits for a table, so that the list is never true. */
async function backUpWhileChanged(file: string) {
  const source = await place.database(false);
  const waiting = (watcher: pg.Client, count: number) =>
    until(
      async () =>
        (await watcher.query("SELECT FROM pg_locks WHERE relation = 'account'::regclass AND NOT granted")).rowCount ===
        count,
    );
  let isOver = false;
  const backup = connected(source, async (first) =>
    connected(source, async (second) =>
      connected(source, async (watcher) => {
        const lock = (client: pg.Client) => client.query('BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE');
        await lock(first);
        const taken = backUp(source, file).finally(() => {
          isOver = true;
        });
        taken.catch(() => undefined);
        for (
          let [holder, next, begin] = [first, second, 1];
          !isOver;
          [holder, next, begin] = [next, holder, begin + 1]
        ) {
          await Promise.race([waiting(watcher, 1), taken]).catch(() => undefined);
          const locked = lock(next);
          if (!isOver) await waiting(watcher, 2);
          await holder.query(`CREATE TABLE added_${begin} (note text); COMMIT`);
          await locked;
        }
        return taken;
      }),
    ),
  );
  await backup;
}

describe('A backup', () => {
  it.each<[what: string, attempt: () => Promise<unknown>, sentence: string | RegExp]>([
    [
      'is taken while the schema does not stop to change',
      () => backUpWhileChanged(join(place.folder, 'changing.backup')),
      'The schema is being changed: take the backup after that.',
    ],
    [
      'was sealed without being packed',
      async () => {
        const file = join(place.folder, 'unpacked.backup');
        const { bytes, seal } = await newHeader(facts, passphrase);
        const sealed = async function* (content: AsyncIterable<Buffer>) {
          yield bytes;
          yield* sealChunks(content, seal);
        };
        await pipeline(Readable.from([Buffer.from('plain content')]), sealed, createWriteStream(file));
        return restoreInto(file);
      },
      /unpacked\.backup cannot be unpacked: incorrect header check\.$/,
    ],
    [
      'names more rows of a table than it has',
      async () => restoreInto(await written('rows.backup', { missing: 1 })),
      /^The table \w+ got \d+ rows instead of \d+\.$/,
    ],
    [
      'contains another master key than the one that it names',
      async () => {
        const contents = { masterKey: Buffer.alloc(32, 9).toString('base64url') };
        const file = await written('key.backup', { masterKeyId: new Secrets(Buffer.alloc(32, 8)).keyId, contents });
        return restoreInto(file, { namesKey: false });
      },
      'The master key in the backup is not its own.',
    ],
    [
      'has a migration of a later release, which its header does not name',
      async () =>
        restoreInto(await written('later.backup', { contents: { migrations: [...known, 'Later9999999999999'] } })),
      /^The backup was taken by release .+, whose schema this release \(.+\) does not know: restore it/,
    ],
  ])('is refused in one sentence, and leaves nothing, when it %s', async (_what, attempt, sentence) => {
    await expect(attempt()).rejects.toThrow(sentence);
    const left = await readdir(place.folder);
    expect(left.filter((name) => name.endsWith('.partial') || name === 'changing.backup')).toEqual([]);
  });
});
