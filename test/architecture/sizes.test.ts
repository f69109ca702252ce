import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const listed = (count: number) => Array.from({ length: count }, (_, at) => `private readonly part${at}: string`);
const classOf = (count: number) => `export class Planted {\n  constructor(${listed(count).join(', ')}) {}\n}\n`;
const functionOf = (count: number) =>
  `export function planted(${listed(count).join(', ').replaceAll('private readonly ', '')}) {}\n`;
/** A function, and a component, with this many lines. */
const longFunction = (lines: number) =>
  `export function planted(log: (at: number) => void) {\n${Array.from({ length: lines }, (_, at) => `  log(${at});\n`).join('')}}\n`;
const longComponent = (lines: number) =>
  `export function Planted() {\n  return (\n    <ul\n${Array.from({ length: lines - 4 }, (_, at) => `      data-${at}=""\n`).join('')}    />\n  );\n}\n`;

/** The most files of a folder, apart from its folders. */
const most = 20;

/** Folders that are one list of alike files, which their names sort. */
const lists = [
  'client/src/shared/i18n',
  'client/src/shared/i18n/en',
  'docs/decisions',
  'migrations',
  'src/platform/mail/templates',
];

const roots = ['bench', 'client', 'demo', 'deploy', 'docs', 'migrations', 'scripts', 'src', 'test'];
const others = /(?:^|\/)(?:node_modules|dist|data)(?:\/|$)/;

const folders = roots.flatMap((folder) => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !others.test(path)),
]);

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-sizes-'));
  for (const file of ['biome.json', '.gitignore']) await cp(file, join(copy, file));
});

afterAll(() => rm(copy, { recursive: true }));

it.each([
  ['src/users/application/planted.ts', classOf(6)],
  ['src/users/domain/planted.ts', functionOf(6)],
  ['client/src/api/planted.ts', classOf(6)],
])('the check of parameters reports more than five in %s', async (file, source) => {
  expect(await rulesBroken(file, source)).toEqual(['lint/complexity/useMaxParams']);
});

it('the check of parameters accepts five', async () => {
  expect(await rulesBroken('src/users/application/planted.ts', classOf(5) + functionOf(5))).toEqual([]);
});

it.each([
  ['src/users/application/planted.ts', longFunction(76)],
  ['client/src/api/planted.ts', longFunction(76)],
  ['client/src/features/users/planted.tsx', longComponent(76)],
])('the check of functions reports more than 75 lines in %s', async (file, source) => {
  expect(await rulesBroken(file, source)).toEqual(['lint/complexity/noExcessiveLinesPerFunction']);
});

it.each([
  ['src/users/application/planted.ts', longFunction(75)],
  ['client/src/features/users/planted.tsx', longComponent(75)],
  ['client/src/features/users/planted.test.ts', longFunction(200)],
])('the check of functions accepts 75 lines, and any number in a unit test: %s', async (file, source) => {
  expect(await rulesBroken(file, source)).toEqual([]);
});

it.each([
  ['src/users/domain/planted.ts', 400],
  ['client/src/api/planted.ts', 400],
  ['scripts/planted.mjs', 400],
  ['test/users/planted.test.ts', 400],
])('the check of files reports %s with more than %i lines', async (file, limit) => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `export const a${at} = ${at};\n`).join('');
  expect(await rulesBroken(file, lines(limit))).toEqual([]);
  expect(await rulesBroken(file, lines(limit + 1))).toEqual(['lint/style/noExcessiveLinesPerFile']);
});

it(`no folder has more than ${most} files, apart from lists of alike files`, () => {
  expect(largeFolders(folders.filter((folder) => !lists.includes(folder)))).toEqual([]);
});

it('the check of folders finds those that are lists, and each of them is still one', () => {
  expect(largeFolders(folders).sort()).toEqual(lists);
});

/** The errors that the lint command of `npm run check` reports for a file with this text. */
async function rulesBroken(file: string, source: string): Promise<string[]> {
  const path = join(copy, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, source);
  const biome = resolve('node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'lint', '--reporter=json', '--diagnostic-level=error', file];
  const printed = await new Promise<string>((done) => {
    execFile(process.execPath, args, { cwd: copy }, (_error, stdout) => done(stdout));
  });
  const { diagnostics } = JSON.parse(printed) as { diagnostics: { category: string }[] };
  return diagnostics.map(({ category }) => category);
}

/** The folders with more files than they may have. */
function largeFolders(paths: string[]): string[] {
  return paths.filter((folder) => {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return files.length > most;
  });
}
