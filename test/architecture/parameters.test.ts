import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const listed = (count: number) => Array.from({ length: count }, (_, at) => `private readonly part${at}: string`);
const classOf = (count: number) => `export class Planted {\n  constructor(${listed(count).join(', ')}) {}\n}\n`;
const functionOf = (count: number) =>
  `export function planted(${listed(count).join(', ').replaceAll('private readonly ', '')}) {}\n`;

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-parameters-'));
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
