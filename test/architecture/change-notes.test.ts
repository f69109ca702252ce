import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the check says of the project's change notes after this replacement. */
async function problemsAfter(found: RegExp, replacement: string): Promise<string> {
  const text = await readFile('CHANGELOG.md', 'utf8');
  const changed = text.replace(found, replacement);
  if (changed === text) throw new Error(`${found} is not in the change notes`);
  const file = join(folder, 'notes.md');
  await writeFile(file, changed);
  try {
    execFileSync(process.execPath, ['scripts/release.mjs', '--check', file], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
}

describe('The check of the change notes', () => {
  it.each([
    [
      'an entry of more than 160 characters',
      /- Users sign in/,
      `- ${'long '.repeat(30)} Users sign in`,
      /more than 160/,
    ],
    ['an entry of two lines', /(- Users sign in) /, '$1\n  ', /is not an entry of one line/],
    ['an entry without a link', /(- Users sign in.*) \[82\]/, '$1', /does not end with a link/],
    [
      'a link to a file that does not exist',
      /0082-passkeys\.md/,
      '0082-keys.md',
      /0082-keys\.md, which does not exist/,
    ],
    ['a link that no entry names', /^\[as-code\]/m, '[other]: README.md\n[as-code]', /No entry names \[other\]/],
    ['a section in another order', /### Fixed/, '### Added', /not in the order/],
    ['a section of another name', /### Fixed/, '### Mended', /no section of a release/],
    ['an entry outside of the sections', /### Before you upgrade\n/, '', /belongs to no section/],
    ['a release without a date', /## 0\.2\.0 \(.*\)/, '## 0.2.0', /has the releases/],
    ['a release that is missing', /## 0\.1\.0 .*/, '', /has the releases/],
  ])('refuses %s', async (_, found, replacement, problem) => {
    expect(await problemsAfter(found, replacement)).toMatch(problem);
  });
});
