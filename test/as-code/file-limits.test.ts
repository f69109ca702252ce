import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileContent } from '../../src/as-code/application/file-content.js';
import { itInLongRun } from '../support/runs.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-limits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The lines of the refusal, without the name of the file; undefined for a file that is accepted. */
async function refusalOf(text: string): Promise<string[] | undefined> {
  const file = join(folder, 'portal.yaml');
  await writeFile(file, text);
  try {
    (await FileContent.read(file)).refuse();
    return undefined;
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(`  ${file}:`, ''));
  }
}

const nested = (levels: number) => 'version: 1\nclients: '.concat('['.repeat(levels), ']'.repeat(levels), '\n');
const indented = (levels: number) =>
  `version: 1\nclients:\n${Array.from({ length: levels }, (_, level) => `${' '.repeat(level + 1)}a:\n`).join('')}`;
const repeated = (aliases: number) =>
  `version: 1\ntags: []\nclients:\n${Array.from({ length: aliases / 2 }, (_, number) => ` - &n${number} 1\n - *n${number}\n`).join('')}`;
const million = 1_000_000;

describe('a file of more than a portal can have', () => {
  it.each([
    ['lists', nested(3 * million), '2:111  It is nested too deeply.'],
    ['lists without an end', '['.repeat(5 * million), '1:103  It is nested too deeply.'],
    ['mappings in braces', '{a: '.repeat(million), '1:406  It is nested too deeply.'],
    ['mappings by their indent', indented(2000), expect.stringMatching(/^10\d:\d+ {2}It is nested too deeply\.$/)],
    ['lists in one line', '- '.repeat(million), expect.stringMatching(/^1:20\d {2}It is nested too deeply\.$/)],
    ['keys of keys', '? '.repeat(million), expect.stringMatching(/^1:20\d {2}It is nested too deeply\.$/)],
  ])('is refused at the level that is too deep: %s', async (_, text, problem) => {
    expect(await refusalOf(text)).toEqual([problem]);
  });

  it('may be nested a hundred levels deep, which is no problem by itself', async () => {
    expect((await refusalOf(nested(99)))?.join()).toBe('2:11  clients.0: This must have members, such as clientId.');
    expect(await refusalOf(nested(100))).toEqual(['1:1  It is nested too deeply.']);
    expect(await refusalOf(indented(98))).toEqual(['2:1  clients: This must be a list; [] is an empty one.']);
  });

  it('is refused with more than 1,000 anchors and aliases, which are looked for among each other', async () => {
    const accepted = await refusalOf(repeated(1000));
    expect(accepted?.at(-1)).toBe('  … and 900 more');
    expect(await refusalOf(repeated(1002))).toEqual(['1004:4  It has more than 1,000 anchors and aliases.']);
  });

  it('may repeat a part of it with each of these aliases, also within others', async () => {
    const aliases = Array.from({ length: 900 }, (_, number) => `*n${number % 10}`).join(', ');
    const anchors = Array.from({ length: 10 }, (_, number) => ` - &n${number} 1\n`).join('');
    const text = `version: 1\ntags: []\nclients:\n${anchors} - &all [${aliases}]\n - *all\n`;
    expect((await refusalOf(text))?.at(-1)).toBe('15:4  clients.11: This must have members, such as clientId.');
  });

  // By the command, with little memory, in `test/cli/as-code.test.ts`.
  itInLongRun('is refused with more than 1.5 million words and signs', async () => {
    expect(await refusalOf(`version: 1\nclients:\n${' a: 1\n'.repeat(million)}`)).toEqual([
      expect.stringMatching(/^\d+:\d+ {2}It has more than 1,500,000 words and signs\.$/),
    ]);
  });

  it('is read up to its 20th syntax error', async () => {
    expect(await refusalOf(`"${'\\q'.repeat(0.1 * million)}"`)).toHaveLength(20);
  });

  it.each([']', '}'])(
    'is read no further once its document has ended too early, and one problem is told: %s',
    async (sign) => {
      expect(await refusalOf(sign.repeat(million))).toEqual([
        expect.stringMatching(/^1:1 {2}Unexpected flow-\w+-end token/),
      ]);
    },
  );

  it.each(['%TAG !a! b\n', '%\n'])('is refused with more than 20 directives: %j', async (directive) => {
    expect(await refusalOf(directive.repeat(0.5 * million))).toEqual(['21:1  It has more than 20 directives (%).']);
  });

  it('names the places of the first of very many wrong keys', async () => {
    const keys = Array.from({ length: 50_000 }, (_, number) => `key${number}: 1`);
    const problems = await refusalOf(`version: 1\n${keys.join('\n')}\n`);
    expect(problems?.slice(0, 2)).toEqual(['2:1  key0: There is no such key.', '3:1  key1: There is no such key.']);
    expect(problems?.slice(-2)).toEqual(['101:1  key99: There is no such key.', '  … and 49,900 more']);
  });
});
