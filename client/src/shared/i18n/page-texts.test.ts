import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadedPages } from '../../../../src/contract/rules/pages.js';
import { isTexts, merged, type Texts, texts, wordsByFile } from '../../../texts.js';

const source = resolve(import.meta.dirname, '../..');
const inSource = (file: string) => join(source, `${file}.tsx`);

const valueAt = (texts: Texts, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isTexts(value) ? value[key] : undefined), texts);

/** A text with a number has a key for each of its forms. */
const hasText = (texts: Texts, path: readonly string[]): boolean =>
  [path, path.with(-1, `${path.at(-1)}_other`)].some((one) => typeof valueAt(texts, one) === 'string');

/** The imports of a file, and the files that it loads later. Types are not imports. */
function importsOf(file: string): { now: string[]; later: string[] } {
  const code = readFileSync(file, 'utf8');
  const at = (pattern: RegExp) =>
    [...code.matchAll(pattern)]
      .map(([, path = '']) => join(dirname(file), path))
      .flatMap((path) => [`${path}.ts`, `${path}.tsx`].filter(existsSync));
  return {
    now: at(/^(?:import|export)(?! type\b)(?:[^'";]*from)? '(\.[^']+)\.js'/gm),
    later: at(/\bimport\('(\.[^']+)\.js'\)/g),
  };
}

function closure(files: readonly string[], known = new Set<string>()): Set<string> {
  for (const file of files) {
    if (known.has(file)) continue;
    known.add(file);
    closure(importsOf(file).now, known);
  }
  return known;
}

const below = (value: unknown, path: string[]): string[][] =>
  isTexts(value) ? Object.entries(value).flatMap(([key, one]) => below(one, [...path, key])) : [path];

/** The places of texts that a file names; of one that is put together, all that have its beginning. */
function placesIn(file: string): string[][] {
  const code = readFileSync(file, 'utf8');
  const found = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, key = '']) => key.split('.'));
  const whole = found(/['"`]([a-z]\w*(?:\.\w+)+)['"`]/gi).filter((path) => hasText(texts, path));
  const begun = found(/`([a-z]\w*(?:\.\w+)*)\.\$\{/gi).filter((path) => isTexts(valueAt(texts, path)));
  return [...whole, ...begun.flatMap((path) => below(valueAt(texts, path), path))];
}

/** The texts that are used before they are loaded: in these files, what they import, and what they load later. */
function missingFrom(files: readonly string[], before: Texts, begun = new Set<string>()): string[] {
  const all = [...closure(files)];
  const loaded = all.reduce((known, file) => merged(known, wordsByFile.get(file) ?? {}), before);
  const later = all.flatMap((file) => importsOf(file).later).filter((file) => !begun.has(file));
  for (const file of later) begun.add(file);
  return [
    // Types of audit events, such as 'consent.given', are not texts.
    ...all
      .filter((file) => !/\/words\/en\.ts$|\/i18n\/|\/contract\//.test(file))
      .flatMap((file) =>
        placesIn(file)
          .filter((path) => !hasText(loaded, path))
          .map((path) => `${file.slice(source.length + 1)} ${path.join('.')}`),
      ),
    ...later.flatMap((file) => missingFrom([file], loaded, begun)),
  ];
}

describe('the scripts of a page', () => {
  it.each(loadedPages.map((page) => [page.file, page] as const))('load each text that they use: %s', (_, page) => {
    const shell = page.shell === null ? [] : [`app/shells/${page.shell}`];
    const files = ['main', ...shell, `features/${page.file}`].map(inSource);
    expect(closure(files).size).toBeGreaterThan(30);
    expect(missingFrom(files, {})).toEqual([]);
  });
});

describe('the catalogue', () => {
  it('has no text that no file names', () => {
    const files = [source, resolve(source, '../../src/contract')].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !/words\/en\.ts$/.test(name))
        .map((name) => join(folder, name)),
    );
    const joined = (path: readonly string[]) => path.join('.').replace(/_(?:zero|one|two|few|many|other)$/, '');
    const named = new Set(files.flatMap(placesIn).map(joined));
    /** Of texts whose group is put in: lists and sheets of clients and users have the same keys. */
    const ends = new Set(
      files.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/`\$\{\w+\}\.(\w+)`/g)].map(([, key = '']) => key),
      ),
    );
    const unused = below(texts, []).filter((path) => !named.has(joined(path)) && !ends.has(path.at(-1) ?? ''));
    expect(unused.map(joined)).toEqual([]);
  });
});
