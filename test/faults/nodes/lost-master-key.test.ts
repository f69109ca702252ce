/**
 * A master key that the database needs and that is missing, damaged or another one; with the embedded PostgreSQL, whose
 * key is a file.
 */
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../../src/cli.commands.js';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.js';
import { callGatehouse, configured } from '../../support/portal/command-line.js';
import { freePorts } from '../../support/portal/portal.js';
import { spawnBuilt } from '../../support/portal/portal-process.js';
import { itInLongRun } from '../../support/runs.js';

const silent = { info() {}, error() {} };

let folder: string;
let data: string;
let file: string;
let env: NodeJS.ProcessEnv;
let key: string;
/** Keeps the server running, so that not every command starts one. */
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-lost-key-'));
  [data, file] = [join(folder, 'data'), join(folder, 'data', 'master.key')];
  const [port] = await freePorts(1);
  env = await configured(folder, {
    server: { issuer: `http://localhost:${port}`, port },
    fhir: { baseUrl: 'http://127.0.0.1:9/fhir' },
    logging: { level: 'error' },
  });
  const first = await start();
  expect(first.text).toContain('Gatehouse is ready.');
  key = await readFile(file, 'utf8');
  server = await startEmbeddedPostgres({ dataDir: data, log: silent, durability: 'test' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await rm(file, { recursive: true, force: true });
  await writeFile(file, key, { mode: 0o600 });
});

/** Starts a node until it serves or has ended. */
async function start(of = env, more: NodeJS.ProcessEnv = {}): Promise<{ text: string; code: number | null }> {
  const node = await spawnBuilt('main.js', [], { ...of, ...more });
  let text = '';
  for (const stream of [node.stdout, node.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('Gatehouse is ready.')) node.kill('SIGTERM');
    });
  const code = await new Promise<number | null>((resolve) => node.once('close', resolve));
  return { text, code };
}

const isAbsent = () =>
  readFile(file).then(
    () => false,
    ({ code }) => code === 'ENOENT',
  );

/** The words of each command, with values for its arguments; those that ask need their answer from the environment. */
const calls = commands
  .filter((command) => !('runAlone' in command))
  .map(({ usage }) =>
    usage
      .split(' ')
      .filter((part) => !part.startsWith('['))
      .map((part) => ({ '<month>': '2026-01', '<email>': 'ada.kent@example.org' })[part] ?? part)
      .map((part) => (part.startsWith('<') ? `${folder}/file` : part)),
  )
  .filter(([name]) => name !== 'restore' && name !== 'apply' && name !== 'plan');

const gatehouse = (words: string[]) =>
  callGatehouse({ ...env, GATEHOUSE_BACKUP_PASSPHRASE: 'meadow-lantern-4471-copper' }, ...words);

const missing = () =>
  `The master key of this database is missing: there is no file ${file}, and keys.masterKey is not set. Nothing was changed.`;

/** Puts something else in the place of the file. */
const instead = async (make: () => Promise<unknown>) => {
  await rm(file);
  await make();
};
const damaged = () => `${file} contains no master key`;
const otherKey = () => `${randomBytes(32).toString('base64url')}\n`;

const damages: [string, () => Promise<void>, () => string][] = [
  ['without its key file', () => instead(async () => undefined), missing],
  ['with a link to nothing', () => instead(() => symlink(join(folder, 'none'), file)), missing],
  ['with an empty key file', () => writeFile(file, ''), () => `${damaged()}: it is empty.`],
  [
    'with a key file that was cut off',
    () => writeFile(file, key.slice(0, 20)),
    () => `${damaged()}: it has 20 characters`,
  ],
  ['with a key file of other characters', () => writeFile(file, `${'!'.repeat(43)}\n`), damaged],
  ['with a key file of bytes', () => writeFile(file, randomBytes(64)), damaged],
  ['with a folder in its place', () => instead(() => mkdir(file)), () => 'The master key cannot be read: EISDIR'],
  [
    'with the key of another installation',
    () => writeFile(file, otherKey()),
    () => `The master key in ${file} is not the one of this database`,
  ],
];

const content = () => readFile(file).catch(({ code }) => code);

describe.each(damages.map((row, number) => [...row, number] as const))(
  'An installation with data, %s,',
  (_what, damage, text, number) => {
    it('is refused by a command, which writes nothing', async () => {
      await damage();
      const before = await content();
      const { code, err } = await gatehouse(['keys', 'list']);
      expect([code, err.trimEnd().split('\n').length, err]).toEqual([1, 1, expect.stringContaining(text())]);
      expect(await content()).toEqual(before);
    });

    // Both open the installation by the same function.
    const itOnce = number === 0 ? it : itInLongRun;
    itOnce('is refused by a node, which says why in one line and writes nothing', async () => {
      await damage();
      const before = await content();
      const { text: said, code } = await start();
      expect([code, said.trimEnd().split('\n').length, said]).toEqual([1, 1, expect.stringContaining(text())]);
      expect(await content()).toEqual(before);
    });
  },
);

describe('A node whose database has data', () => {
  itInLongRun('does not start with workers, either', async () => {
    await rm(file);
    const { text, code } = await start(env, { GATEHOUSE_SERVER__WORKERS: '2' });
    expect([code, text.trim()]).toEqual([1, expect.stringContaining(missing())]);
    expect(await isAbsent()).toBe(true);
  });

  it('starts with the key in its configuration instead', async () => {
    await rm(file);
    const { code, text } = await start(env, { GATEHOUSE_KEYS__MASTER_KEY: key.trim() });
    expect([code, text]).toEqual([0, expect.stringContaining('Gatehouse is ready.')]);
    expect(await isAbsent()).toBe(true);
  });

  itInLongRun('does not start with another key in its configuration', async () => {
    const { code, text } = await start(env, { GATEHOUSE_KEYS__MASTER_KEY: 'ab'.repeat(32) });
    expect([code, text.trim()]).toEqual([
      1,
      expect.stringContaining('The master key in keys.masterKey is not the one of this database'),
    ]);
  });
});

describe('Every command', () => {
  it('is refused without the key file, and writes none', async () => {
    await rm(file);
    expect(calls.length).toBeGreaterThan(12);
    for (const words of calls) {
      const { code, err } = await gatehouse(words);
      expect([words, code, err]).toEqual([words, 1, expect.stringContaining(missing())]);
      expect([words, await isAbsent()]).toEqual([words, true]);
    }
  });

  it('is refused with another key, apart from the one that ends everything that was issued', async () => {
    await writeFile(file, otherKey());
    for (const words of calls.filter(([name]) => name !== 'end-issued')) {
      const { code, err } = await gatehouse(words);
      expect([words, code, err]).toEqual([words, 1, expect.stringContaining('is not the one of this database')]);
    }
  });
});

describe('An installation whose key is lost for good', () => {
  it('starts with a new key after everything that was issued has ended', async () => {
    const copy = join(folder, 'copy');
    await server.stop();
    await cp(data, copy, { recursive: true });
    await chmod(join(copy, 'postgres'), 0o700);
    await writeFile(join(copy, 'master.key'), otherKey());
    const there = { ...env, GATEHOUSE_DATA_DIR: copy };
    expect((await start(there)).code).toBe(1);
    expect((await callGatehouse(there, 'end-issued')).code).toBe(0);
    expect(await start(there)).toEqual({ code: 0, text: expect.stringContaining('Gatehouse is ready.') });
    server = await startEmbeddedPostgres({ dataDir: data, log: silent, durability: 'test' });
  });
});

describe('A first start', () => {
  it('of two processes at the same moment makes one key for all', async () => {
    const fresh = join(folder, 'fresh');
    const ports = await freePorts(2);
    const starts = ports.map((port) =>
      start(env, {
        GATEHOUSE_DATA_DIR: fresh,
        GATEHOUSE_SERVER__PORT: String(port),
        GATEHOUSE_SERVER__ISSUER: `http://localhost:${port}`,
      }),
    );
    for (const { code, text } of await Promise.all(starts))
      expect([code, text]).toEqual([0, expect.stringContaining('Gatehouse is ready.')]);
    expect(await readFile(join(fresh, 'master.key'), 'utf8')).toMatch(/^[\w-]{43}\n$/);
  });

  it('that ended after it had made its database and before its key makes the key', async () => {
    const fresh = join(folder, 'begun');
    const begun = await startEmbeddedPostgres({ dataDir: fresh, log: silent, durability: 'test' });
    await begun.stop();
    const { code } = await start(env, { GATEHOUSE_DATA_DIR: fresh });
    expect([code, await readFile(join(fresh, 'master.key'), 'utf8')]).toEqual([
      0,
      expect.stringMatching(/^[\w-]{43}\n$/),
    ]);
  });
});
