import { setTimeout as sleep } from 'node:timers/promises';
import { readImport } from '../../src/users/application/import/import-file.js';

const header = 'name,email,type,fhir_user';
const megabytes = 2 * 1024 * 1024 - 100;
const filled = (piece: string) => `${header}\n${piece.repeat(Math.floor(megabytes / piece.length))}`;

const files: Record<string, string> = {
  'empty lines': filled('\n'),
  'empty lines of another system': filled('\r\n'),
  'lines with a blank': filled(' \n'),
  'lines with a tab': filled('\t\n'),
  'lines of separators': filled(',,,\n'),
  'lines of one letter': filled('a\n'),
  'empty lines before the header': '\n'.repeat(megabytes) + header,
  'a quoted cell of line breaks': `${header}\n"${'\n'.repeat(megabytes)}`,
  'a quoted cell of letters': `${header}\n"${'a'.repeat(megabytes)}"`,
  'quotation marks': filled('"'),
  'quoted empty cells': filled('"",'),
  'a header of separators': ','.repeat(megabytes),
  'many columns': `${','.repeat(19_000)}\n`.repeat(100),
  'one line': 'a'.repeat(megabytes),
  'users without an address': filled('A B,,Patient,Patient/1\n'),
  'one user again and again': filled('A B,a@b.example,Patient,Patient/1\n'),
};

/** The longest time in which nothing else was done while the work ran, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  await work();
  await sleep(2);
  look();
  clearInterval(timer);
  return longest;
}

it.each(Object.keys(files))(
  'A file of users that is %s is read or refused without holding up other requests',
  async (name) => {
    let refusal: unknown;
    const begun = performance.now();
    const longest = await longestTurn(() =>
      readImport(files[name] ?? '').catch((error: unknown) => {
        refusal = error;
      }),
    );
    if (refusal !== undefined) expect(refusal).toMatchObject({ kind: 'invalid' });
    // A turn takes a tenth of it, and a busy machine interrupts it.
    expect(longest).toBeLessThan(600);
    expect(performance.now() - begun).toBeLessThan(30_000);
  },
);
