import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Parameters, the first of which have these types. */
const listed = (count: number, types: string[] = []) =>
  Array.from({ length: count }, (_, at) => `part${at}: ${types[at] ?? 'Users'}`).join(', ');
const classOf = (count: number, ...types: string[]) =>
  `export class Planted {\n  constructor(${listed(count, types)}) {}\n}\n`;
const functionOf = (count: number, ...types: string[]) => `export function planted(${listed(count, types)}) {}\n`;
/** A function, and a component, with this many lines. */
const longFunction = (lines: number) =>
  `export function planted(log: (at: number) => void) {\n${Array.from({ length: lines }, (_, at) => `  log(${at});\n`).join('')}}\n`;
const longComponent = (lines: number) =>
  `export function Planted() {\n  return (\n    <ul\n${Array.from({ length: lines - 4 }, (_, at) => `      data-${at}=""\n`).join('')}    />\n  );\n}\n`;

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-sizes-'));
  for (const file of ['biome.json', '.gitignore']) await cp(file, join(copy, file));
  await promisify(execFile)('git', ['init', '--quiet'], { cwd: copy });
});

afterAll(() => rm(copy, { recursive: true }));

it('the check of parameters reports more than five in the client', async () => {
  expect(await rulesBroken('client/src/api/planted.ts', classOf(6))).toEqual(['lint/complexity/useMaxParams']);
  expect(await rulesBroken('client/src/api/planted.ts', classOf(5))).toEqual([]);
});

it('the check of parameters reports more than five of a function, and of a class without its plumbing', async () => {
  const planted = [classOf(6), classOf(8, 'Database', 'Config'), functionOf(6), functionOf(6, 'Database')];
  expect(await parametersReported(planted.join(''))).toBe(
    [
      'src/planted.ts:2 has 6 collaborators, more than 5.',
      'src/planted.ts:5 has 6 collaborators, more than 5.',
      'src/planted.ts:7 has 6 parameters, more than 5.',
      'src/planted.ts:8 has 6 parameters, more than 5.\n',
    ].join('\n'),
  );
});

it('the check of parameters accepts five, and in a constructor more of plumbing', async () => {
  const plumbing = ['Audit', 'Config', 'Database', 'JobRunner', 'Jobs', 'Limits', 'Mail', 'Secrets', 'StartLimits'];
  expect(await parametersReported(functionOf(5) + classOf(5 + plumbing.length, ...plumbing))).toBe('');
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

it('the check of folders reports one with more than 20 files, and counts neither ignored files nor those of folders in it', async () => {
  const files = (count: number, ending: string) => Array.from({ length: count }, (_, at) => `planted/${at}${ending}`);
  await plant([...files(20, '.md'), ...files(1, '.log'), 'planted/below/planted.md']);
  expect(await printedByCheck()).toBe('');
  await plant(files(1, '.txt'));
  expect(await printedByCheck()).toMatch(/^planted has 21 files, more than 20: .*\n$/);
  await rm(join(copy, 'planted'), { recursive: true });
});

it('the check of folders accepts any number in a list of alike files, and reports a list that is none', async () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => `migrations/${at}.md`);
  await plant(files(20));
  expect(await printedByCheck()).toMatch(/^migrations has no more than 20 files: .*\n$/);
  await plant(files(21));
  expect(await printedByCheck()).toBe('');
  await rm(join(copy, 'migrations'), { recursive: true });
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

async function plant(files: string[]) {
  for (const file of files) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), '');
  }
}

/** The lines that the command of `npm run check` prints for a file of the server with this text. */
async function parametersReported(source: string): Promise<string> {
  await rm(join(copy, 'src'), { recursive: true, force: true });
  await mkdir(join(copy, 'src'));
  await writeFile(join(copy, 'src/planted.ts'), source);
  return printedByCheck();
}

/** The lines that the command of `npm run check` prints for the planted copy. */
function printedByCheck(): Promise<string> {
  const script = resolve('scripts/checks/sizes.mjs');
  return new Promise((done, fail) => {
    execFile(process.execPath, [script], { cwd: copy }, (error, _stdout, stderr) =>
      (error === null) === (stderr === '') ? done(stderr) : fail(new Error(`The check ended with ${error?.code ?? 0}`)),
    );
  });
}
