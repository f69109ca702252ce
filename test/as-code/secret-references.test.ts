import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { FileContent } from '../../src/as-code/application/file-content.js';

const secret = 'typed-secret-of-a-service';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-references-'));
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'large'), 'x'.repeat(10_000_000));
  await writeFile(join(folder, 'blank'), ' \n');
  await writeFile(join(folder, 'binary'), Buffer.from([0x73, 0xff, 0xfe]));
  await writeFile(join(folder, 'with-end'), `${secret}\r\n`);
  await writeFile(join(folder, 'with-mark'), `\ufeff${secret}\n\n`);
  await writeFile(join(folder, 'longest'), 'x'.repeat(64 * 1024));
});
afterAll(async () => {
  delete process.env.TEST_REFERENCE;
  await rm(folder, { recursive: true, force: true });
});

async function read(reference: string): Promise<FileContent> {
  const file = join(folder, 'portal.yaml');
  const secrets = `    clientSecrets:\n      - secretType: SharedSecret\n        secret: ${JSON.stringify(reference)}\n`;
  await writeFile(file, `version: 1\nclients:\n  - clientId: feed\n${secrets}`);
  return FileContent.read(file);
}

const problemOf = async (reference: string) =>
  (await read(reference)).problems.find(({ path }) => path.at(-1) === 'secret');
const textOf = async (reference: string) =>
  (await read(reference)).clients?.[0]?.value.request.clientSecrets?.[0]?.secret;

describe('a reference to a secret', () => {
  it.each([
    ['names no variable', 'env:', 'The name of the environment variable is missing after env:.'],
    ['names a variable of spaces', 'env:  ', 'The name of the environment variable is missing after env:.'],
    ['names no file', 'file:', 'The path of the file is missing after file:.'],
    ['names no set variable', 'env:TEST_REFERENCE', 'The environment variable TEST_REFERENCE is not set.'],
    ['names a member of every object', 'env:toString', 'The environment variable toString is not set.'],
    ['names no existing file', 'file:none', 'The file none does not exist.'],
    ['names a file below a file', 'file:blank/none', 'The file blank/none does not exist.'],
    ['names a folder', 'file:secrets', 'secrets is a folder, not a file with a secret.'],
    ['names a device', 'file:/dev/zero', '/dev/zero is not a file.'],
    ['names a large file', 'file:large', 'The file large is larger than 64 KB, and cannot be a secret.'],
    ['names a blank file', 'file:blank', 'The file blank is empty.'],
    ['names a file of other bytes', 'file:binary', 'The file binary is not UTF-8.'],
    ['names a path that no file can have', 'file:a\0b', 'The file a\0b cannot be read (ERR_INVALID_ARG_VALUE).'],
  ])('is refused at its place if it %s', async (_, reference, text) => {
    expect(await problemOf(reference)).toEqual({
      position: { line: 6, column: 17 },
      path: ['clients', 0, 'clientSecrets', 0, 'secret'],
      text,
    });
  });

  it.each(['', ' \n'])('is refused if its variable is empty: %j', async (value) => {
    process.env.TEST_REFERENCE = value;
    expect((await problemOf('env:TEST_REFERENCE'))?.text).toBe('The environment variable TEST_REFERENCE is empty.');
  });

  (process.getuid?.() === 0 ? it.skip : it)('is refused if the file cannot be read', async () => {
    const file = join(folder, 'closed');
    await writeFile(file, secret);
    await chmod(file, 0);
    expect((await problemOf('file:closed'))?.text).toBe('The file closed cannot be read: this user has no permission.');
  });

  it.each(['file:with-end', 'file:with-mark', 'env:TEST_REFERENCE'])(
    'has the value without space and line ends around it: %s',
    async (reference) => {
      process.env.TEST_REFERENCE = ` ${secret}\n`;
      expect(await textOf(reference)).toBe(secret);
    },
  );

  it('is read from a file of 64 KB, and refused by the rule of the form', async () => {
    expect((await problemOf('file:longest'))?.text).toBe('Please enter at most 8000 characters');
  });

  it('is refused without the value that the file has in its place', async () => {
    const { problems } = await read(secret);
    expect(JSON.stringify(problems)).not.toContain(secret);
    expect(problems.map(({ text }) => text)).toContain(
      'Name the secret by env:NAME or file:PATH; its value does not belong in this file.',
    );
  });
});
