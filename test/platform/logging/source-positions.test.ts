import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from '@swc/core';
import { sourcePositionsIn } from '../../../src/platform/logging/source-positions.js';

let folder: string;
let place: string;
let withSourcePositions: (stack: string) => string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-positions-'));
  const source = '\n\n\nexport function broken(): never {\n  throw new Error();\n}\n';
  const options = { jsc: { parser: { syntax: 'typescript' as const }, target: 'es2022' as const } };
  const { code, map = '' } = await transform(source, { ...options, filename: 'broken.ts', sourceMaps: true });
  const file = join(folder, 'broken.js');
  await writeFile(file, code);
  await writeFile(`${file}.map`, map);
  await mkdir(join(folder, 'other'));
  await writeFile(join(folder, 'other', 'broken.js.map'), map);
  withSourcePositions = sourcePositionsIn(pathToFileURL(`${folder}/`).href);
  const line = code.split('\n').findIndex((text) => text.includes('new Error')) + 1;
  place = `${pathToFileURL(file)}:${line}:11`;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the stack of an error that is logged names the line of the source', () => {
  const stack = withSourcePositions(`Error: x\n    at broken (${place})\n    at ${place}`);
  const source = `${pathToFileURL(join(folder, 'broken.ts'))}:5:9`;
  expect(stack).toBe(`Error: x\n    at broken (${source})\n    at ${source}`);
});

test.each([
  ['of a file without a map', 'packages.js:1:2'],
  ['of a source', 'broken.ts:2:11'],
  ['behind the end of the map', 'broken.js:0:0'],
  ['in another folder, where a message may point to', 'other/broken.js:2:11'],
  ['in another folder by dots', 'other/../broken.js:2:11'],
])('a place %s stays as it is', (_which, name) => {
  const text = `at broken (${pathToFileURL(folder)}/${name})`;
  expect(withSourcePositions(text)).toBe(text);
});
