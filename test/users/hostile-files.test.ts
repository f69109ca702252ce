import { readImport } from '../../src/users/application/import/import-file.js';
import { useBusyMachine } from '../support/busy-machine.js';
import { longestTurnBelow } from '../support/longest-turn.js';

useBusyMachine();
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

it.each(Object.keys(files))(
  'A file of users that is %s is read or refused without holding up other requests',
  async (name) => {
    let refusal: unknown;
    const begun = performance.now();
    const longest = await longestTurnBelow(400, () =>
      readImport(files[name] ?? '').catch((error: unknown) => {
        refusal = error;
      }),
    );
    if (refusal !== undefined) expect(refusal).toMatchObject({ kind: 'invalid' });
    // A turn takes a tenth of it.
    expect(longest).toBeLessThan(400);
    expect(performance.now() - begun).toBeLessThan(30_000);
  },
);
