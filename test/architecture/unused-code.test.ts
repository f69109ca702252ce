import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

let copy: string;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'gatehouse-unused-'));
  await cp('knip.jsonc', join(copy, 'knip.jsonc'));
  await plant({
    'package.json': JSON.stringify({ name: 'planted', type: 'module', dependencies: { pg: '8.0.0' } }),
    'demo/package.json': JSON.stringify({ name: 'planted-demo' }),
    'src/main.ts': "import { used } from './used.js';\nimport 'express';\nused();\n",
    'src/used.ts': 'export const used = () => 1;\nexport const unused = 2;\nexport interface Unused {}\n',
    'src/orphan.ts': 'export const orphan = 1;\n',
  });
});

afterAll(() => rm(copy, { recursive: true }));

async function plant(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(copy, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

interface Issue {
  file: string;
  [kind: string]: string | { name: string }[];
}

it('the check for unused code reports a file, an export, a type and a dependency that nothing uses, and an undeclared one', async () => {
  const { issues } = JSON.parse(await knip()) as { issues: Issue[] };
  const found = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, items]) =>
      Array.isArray(items) ? items.map(({ name }) => `${kind} ${file}: ${name}`) : [],
    ),
  );
  expect(found.sort()).toEqual([
    'dependencies package.json: pg',
    'exports src/used.ts: unused',
    'files src/orphan.ts: src/orphan.ts',
    'types src/used.ts: Unused',
    'unlisted src/main.ts: express',
  ]);
});

/** Runs the command of `npm run check` on the planted copy; it exits with 1 when it finds something. */
function knip(): Promise<string> {
  const args = [resolve('node_modules/knip/bin/knip.js'), '--directory', copy, '--reporter', 'json'];
  return new Promise((done, fail) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      error?.code === 1 ? done(stdout) : fail(new Error(`knip ended with ${error?.code ?? 0}: ${stderr}`)),
    );
  });
}
