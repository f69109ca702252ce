import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTexts, type Texts, texts, wordsByFile } from '../../client/texts.js';

const client = join(import.meta.dirname, '../../client/src');
const sharedWords = join(client, 'shared/i18n/words/en.ts');
/** Texts of rules and of other messages have their home in the contract. */
const ofContract = /^messages\./;

function listed(section: Texts, path = ''): [key: string, text: string][] {
  return Object.entries(section).flatMap(([name, value]) =>
    isTexts(value) ? listed(value, `${path}${name}.`) : [[path + name, value] as [string, string]],
  );
}

describe('client/src/shared/i18n', () => {
  /** The keys that only one feature names, with its folder. */
  function ofOneFeature(keys: readonly string[], sources: ReadonlyMap<string, string>): string[] {
    return keys.flatMap((key) => {
      const [section] = key.split('.');
      const name = key.replace(/_(?:zero|one|two|few|many|other)$/, '').replace('.', '\\.');
      // A text whose name is put together may be any of its section.
      const named = new RegExp(`['"\`]${name}['"\`]|\`${section}\\.\\$\\{`);
      const places = new Set(
        [...sources]
          .filter(([, code]) => named.test(code))
          .map(([file]) => /^features\/[^/]+/.exec(file)?.[0] ?? 'shared'),
      );
      const [place] = places;
      return places.size === 1 && place !== 'shared' ? [`${key}: ${place}`] : [];
    });
  }

  it('has no words of one feature: a page owns its words', () => {
    const keys = listed(wordsByFile.get(sharedWords) ?? {})
      .map(([key]) => key)
      .filter((key) => !ofContract.test(key));
    expect(keys.length).toBeGreaterThan(40);
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test)\.tsx?$/.test(file),
    );
    expect(ofOneFeature(keys, new Map(files.map((file) => [file, readFileSync(join(client, file), 'utf8')])))).toEqual(
      [],
    );
  });

  it.each([
    [{ 'features/login/login-page.tsx': "t('common.planted')" }, ['common.planted: features/login']],
    [
      { 'features/login/a.tsx': "t('common.planted')", 'features/login/b.tsx': '`common.planted`' },
      ['common.planted: features/login'],
    ],
    [{ 'features/login/a.tsx': "t('common.planted')", 'features/users/b.tsx': "t('common.planted')" }, []],
    [{ 'shared/ui/a.tsx': "t('common.planted')" }, []],
    [{ 'app/shells/a.tsx': "t('common.planted')" }, []],
  ])('is checked: %j', (sources, found) => {
    expect(ofOneFeature(['common.planted'], new Map(Object.entries(sources)))).toEqual(found);
  });
});

describe('A text', () => {
  const numbers =
    'count done failed from hours left length limit line lines maximum minutes moved number percent refused seconds shown size step ticked total used';
  /** A number with the word that it counts: 'of', and a mark, stand between two numbers of one word. */
  const counted = new RegExp(
    `\\{\\{(?:${numbers.replaceAll(' ', '|')})\\}\\}(?:</b>)? (?!(?:of|to|in|is|are|was|were)\\b)[a-z]+`,
    'g',
  );
  const countedIn = (text: string) => text.match(counted) ?? [];

  it('has at most one number with the word that it counts, because a language has one form for each number', () => {
    const all = listed(texts);
    expect(all.filter(([, text]) => countedIn(text).length > 0).length).toBeGreaterThan(100);
    expect(all.filter(([, text]) => countedIn(text).length > 1).map(([key]) => key)).toEqual([]);
  });

  it.each([
    ['{{count}} users in {{minutes}} minutes', 2],
    ['<b>{{done}}</b> done, {{failed}} failed', 2],
    ['{{shown}} of {{count}} apps', 1],
    ['{{count}} kinds of data, ticked: {{ticked}}', 1],
    ['Step {{step}} of {{total}}', 0],
  ])('is checked: %s', (text, found) => {
    expect(countedIn(text)).toHaveLength(found);
  });
});
