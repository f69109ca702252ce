import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadedPages, shells } from '../../../../src/contract/rules/pages.js';
import { adminTexts } from './en/admin.js';
import { clientTexts } from './en/client-pages.js';
import { signedInTexts } from './en/signed-in.js';

const source = resolve(import.meta.dirname, '../..');

/** The files that these import, also those that are loaded later. */
function closure(files: readonly string[], known = new Set<string>()): Set<string> {
  for (const file of files) {
    if (known.has(file)) continue;
    known.add(file);
    const imported = [...readFileSync(file, 'utf8').matchAll(/(?:from|import|import\() ?'(\.[^']+)\.js'/g)].map(
      ([, path = '']) => join(dirname(file), path),
    );
    closure(
      imported.flatMap((path) => [`${path}.ts`, `${path}.tsx`].filter(existsSync)),
      known,
    );
  }
  return known;
}

const framesWithAllTexts = Object.keys(shells).filter((shell) =>
  readFileSync(join(source, `app/shells/${shell}.tsx`), 'utf8').includes("/signed-in-texts.js'"),
);
const pageFiles = loadedPages
  .filter(({ shell }) => shell === null || !framesWithAllTexts.includes(shell))
  .flatMap(({ file, shell }) => [`features/${file}`, ...(shell ? [`app/shells/${shell}`] : [])])
  .map((file) => join(source, `${file}.tsx`));

describe('the texts of the first scripts', () => {
  it('contain each text of a page that does not load the others', () => {
    const later = new RegExp(
      `['"\`](?:${[...Object.keys(signedInTexts), ...Object.keys({ ...adminTexts, ...clientTexts })].join('|')})\\.\\w[^'"\`]*['"\`]`,
      'g',
    );
    // Types of audit events, such as 'consent.given', are no texts.
    const files = [...closure([join(source, 'main.tsx'), ...pageFiles])].filter(
      (file) => !/\/i18n\/|\/contract\/audit\//.test(file),
    );
    expect(files.length).toBeGreaterThan(60);
    const missing = files.flatMap((file) =>
      (readFileSync(file, 'utf8').match(later) ?? []).map((key) => `${file} ${key}`),
    );
    expect(missing).toEqual([]);
  });
});
