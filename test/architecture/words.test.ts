import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

it('the check of words reports a misspelled word and a word that names no role', async () => {
  const comment = '/** The adress of whoever asks, which nobody reads anew. */';
  expect(await wordsFound('src/planted.ts', comment)).toEqual(['adress', 'whoever', 'nobody', 'anew']);
});

it('the check of words accepts the Unix user nobody where PostgreSQL is started', async () => {
  expect(await wordsFound('src/platform/database/postgres-cluster.ts', '// The user nobody.')).toEqual([]);
});

/** The words that the command of `npm run check` reports for a file with this text. */
async function wordsFound(file: string, text: string): Promise<string[]> {
  const cspell = resolve('node_modules/cspell/bin.mjs');
  const child = execFile(process.execPath, [
    cspell,
    '--no-progress',
    '--no-summary',
    '--words-only',
    `stdin://${file}`,
  ]);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stdin?.end(text);
  await once(child, 'close');
  return printed.split('\n').filter(Boolean);
}
