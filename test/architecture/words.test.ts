import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

it('the check of words reports a misspelled word', async () => {
  expect(await wordsFound('src/planted.ts', '/** The adress of the client. */')).toEqual(['adress']);
});

/** The words that the command of `npm run check` reports of a file with this text. */
async function wordsFound(file: string, text: string): Promise<string[]> {
  const args = [
    resolve('node_modules/cspell/bin.mjs'),
    '--no-progress',
    '--no-summary',
    '--words-only',
    `stdin://${file}`,
  ];
  const child = execFile(process.execPath, args);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stdin?.end(text);
  await once(child, 'close');
  return printed.split('\n').filter(Boolean);
}
