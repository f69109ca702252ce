// cspell:ignore znak znaki znaków Najwyżej belegt Weiter Einer Heute Früher
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { message } from '../../../src/contract/messages/message.js';
import { listAfterColon } from '../../../src/contract/rules/text.js';
import { readTexts } from '../../../src/platform/config/language.js';
import { Languages } from '../../../src/platform/language/languages.js';
import { inEnglish } from '../../../src/platform/language/translator.js';

let folder: string;

/** A language of the given texts, as an operator's file gives it. */
function languageOf(tag: string, texts: object, direction: 'ltr' | 'rtl' = 'ltr') {
  const file = join(folder, `${tag}.json`);
  writeFileSync(file, JSON.stringify(texts));
  return new Languages([{ tag, file, direction }]).language([tag]);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-texts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const tooLong = (maximum: number) => message('too-long', { maximum });

describe('A message of the server', () => {
  it.each([
    [1, 'Najwyżej [1] znak'],
    [2, 'Najwyżej [2] znaki'],
    [5, 'Najwyżej [5] znaków'],
    [22, 'Najwyżej [22] znaki'],
    [12_000, 'Najwyżej [12 000] znaków'],
  ])('has the plural of its language for %d, and writes the number in its way', (maximum, text) => {
    const polish = languageOf('pl', {
      messages: {
        'too-long_one': 'Najwyżej [{{maximum}}] znak',
        'too-long_few': 'Najwyżej [{{maximum}}] znaki',
        'too-long_many': 'Najwyżej [{{maximum}}] znaków',
      },
    });
    expect(polish.render(tooLong(maximum)).replace(/\s/g, ' ')).toBe(text);
  });

  it('of a file of an earlier release, without forms of the plural, is shown for every number', () => {
    const german = languageOf('de', { messages: { 'too-long': 'Höchstens {{maximum}} Zeichen' } });
    expect([1, 20].map((maximum) => german.render(tooLong(maximum)))).toEqual([
      'Höchstens 1 Zeichen',
      'Höchstens 20 Zeichen',
    ]);
  });

  it('without a translation is English, with its plural', () => {
    const german = languageOf('de', { messages: {} });
    expect(german.render(tooLong(1))).toBe('Please enter at most 1 character');
    expect(german.render(tooLong(20))).toBe(inEnglish(tooLong(20)));
  });

  it('never reads a value as a parameter or as a text of the catalogue', () => {
    const name = '{{name}} $t(messages.field-required)';
    const german = languageOf('de', { messages: { 'claim-reserved': 'Der Claim „{{name}}“ ist belegt.' } });
    expect(german.render(message('claim-reserved', { name }))).toBe(`Der Claim „${name}“ ist belegt.`);
    expect(inEnglish(message('claim-reserved', { name }))).toContain(name);
  });

  it.each([
    ['ltr', 'Heart Diary', 'Weiter zu Heart Diary'],
    ['ltr', 'יומן', 'Weiter zu \u2068יומן\u2069'],
    ['rtl', 'Heart Diary', 'Weiter zu \u2068Heart Diary\u2069'],
  ] as const)('keeps the order of its words around a name (%s, %s)', (direction, app, text) => {
    const language = languageOf('de', { messages: { 'account-for-app': 'Weiter zu {{app}}' } }, direction);
    expect(language.render(message('account-for-app', { app }))).toBe(text);
  });

  it('lists kinds of data in the way of its language', () => {
    const kinds = ['Conditions', 'Goals', 'Visits'];
    expect(listAfterColon(kinds, 'en')).toBe('Conditions, Goals, Visits');
    expect(listAfterColon(kinds, 'es')).toBe('Conditions, Goals y Visits');
    expect(listAfterColon(kinds, 'zh')).toBe('Conditions、Goals、Visits');
  });
});

describe('A text under the key of an earlier release', () => {
  it('is shown where the text of today is not translated', () => {
    const file = join(folder, 'earlier.json');
    const before = { 'mail-recovery-codes-left-one': 'Einer übrig.', 'mail-recovery-codes-left': '{{left}} übrig.' };
    writeFileSync(file, JSON.stringify({ messages: before }));
    const german = languageOf('de', readTexts(file));
    const left = (count: number) => german.render({ code: 'mail-recovery-codes-left', params: { count, left: count } });
    expect([left(1), left(3)]).toEqual(['Einer übrig.', '3 übrig.']);
  });

  it('does not replace the text of today', () => {
    const texts = { secretRotation: { goOn: 'Früher' }, attention: { rotationLink: 'Heute' } };
    const file = join(folder, 'both.json');
    writeFileSync(file, JSON.stringify(texts));
    expect(readTexts(file)).toEqual(texts);
  });
});
