/** Values that are almost right: each usual damage of a right value is undone and named. */
// cspell:ignore changeme yourchart FEFF fullwidth
import fc from 'fast-check';
import { damageOf, mended, placeholderIn, undamaged } from '../../src/contract/rules/damage.js';
import { runs } from '../support/runs.js';

/** What happens to values on their way, and the words for it. */
const damages: [name: string, damage: (text: string) => string, words: RegExp][] = [
  ['encoded once', encodeURIComponent, /percent-encoded$/],
  ['encoded twice', (text) => encodeURIComponent(encodeURIComponent(text)), /percent-encoded twice/],
  ['a space at the end', (text) => `${text} `, /a space at its end/],
  ['a space at the beginning', (text) => ` ${text}`, /a space at its beginning/],
  ['a line break at the end', (text) => `${text}\r\n`, /a line break at its end/],
  ['a tab at the end', (text) => `${text}\t`, /a tab at its end/],
  ['a no-break space at the end', (text) => `${text}\u00A0`, /a no-break space \(U\+00A0\) at its end/],
  ['a zero-width space', (text) => `${text.slice(0, 5)}\u200B${text.slice(5)}`, /a zero-width space \(U\+200B\)/],
  ['a byte order mark', (text) => `\uFEFF${text}`, /a byte order mark|U\+FEFF/],
  ['a soft hyphen', (text) => `${text.slice(0, 5)}\u00AD${text.slice(5)}`, /a soft hyphen \(U\+00AD\)/],
  ['a direction mark', (text) => `\u200E${text}`, /an invisible character.*U\+200E/],
  ['a line break inside', (text) => `${text.slice(0, 5)}\n${text.slice(5)}`, /a line break in it/],
  ['double quotes', (text) => `"${text}"`, /between " and "/],
  ['typographic quotes', (text) => `“${text}”`, /between “ and ”/],
  ['angle brackets', (text) => `<${text}>`, /between < and >/],
  ['quotes and a line break', (text) => `'${text}'\n`, /a line break at its end, and it stands between ' and '/],
  ['upper case', (text) => text.toUpperCase(), /upper and lower case/],
  ['upper case and a space', (text) => `${text.toUpperCase()} `, /a space at its end, and .*upper and lower case/],
  ['a Cyrillic letter', (text) => text.replace('a', 'а'), /only looks like a \(U\+0430\)/],
  ['a typographic hyphen', (text) => text.replace('-', '–'), /only looks like - \(U\+2013\)/],
  ['fullwidth letters', (text) => text.replace('a', 'ａ'), /only looks like a \(U\+FF41\)/],
  ['a comma at the end', (text) => `${text},`, /has , at its end/],
  ['its name in front', (text) => `client_id=${text}`, /client_id= in front/],
  ['its name as in YAML in front', (text) => `client_id: ${text}`, /client_id: in front/],
  ['its scheme in front', (text) => `Bearer ${text}`, /Bearer in front/],
  ['what followed it in an address', (text) => `${text}&state=x`, /what followed it in the address/],
  ['a whole address', (text) => `https://app.example/back?code=${encodeURIComponent(text)}&state=x`, /whole address/],
  ['a fragment of an address', (text) => `app://back#code=${text}`, /whole address/],
  [
    'a whole answer',
    (text) => JSON.stringify({ launch: text, seconds: 5 }),
    /whole JSON object, and its member launch/,
  ],
  ['twice', (text) => text + text, /twice, one after the other/],
  ['base64', (text) => Buffer.from(text).toString('base64'), /base64/],
  ['its last character missing', (text) => text.slice(0, -1), /its last character is missing/],
  ['its last three characters missing', (text) => text.slice(0, -3), /its last 3 characters are missing/],
  ['its first character missing', (text) => text.slice(1), /its first character is missing/],
  ['more at its end', (text) => `${text}xyz`, /more at its end: xyz/],
  ['more at its beginning', (text) => `xyz.${text}`, /more at its beginning: xyz\./],
];
/** As clients, secrets and codes are named; with a letter and a hyphen that have lookalikes. */
const value = fc
  .stringMatching(/^[b-z][b-z0-9]{5,20}$/)
  .map((text) => `${text.slice(0, 4)}-a:${text.slice(4)}`)
  .filter((text) => new Set(text).size > 5);

describe('A damaged value', () => {
  it.each(damages)('with %s is found again, and its damage is named', (_, damage, words) => {
    fc.assert(
      fc.property(value, (text) => {
        const sent = damage(text);
        fc.pre(sent !== text);
        expect(undamaged(sent, ['something-else', text])).toEqual({ text, damage: expect.stringMatching(words) });
      }),
      runs(50, 1_000),
    );
  });

  it('that has two of them is found, if the second is not that of a part', () => {
    const whole = damages.filter(([name]) => !/missing|more|case|twice|quotes and|address/.test(name));
    fc.assert(
      fc.property(value, fc.constantFrom(...whole), fc.constantFrom(...whole), (text, one, other) => {
        const sent = other[1](one[1](text));
        expect({ sent, found: undamaged(sent, [text])?.text }).toEqual({ sent, found: text });
      }),
      runs(200, 5_000),
    );
  });

  it('is never told of a right value, nor of another one', () => {
    fc.assert(
      fc.property(value, value, (text, other) => {
        expect(undamaged(text, [text, other])).toBeUndefined();
        fc.pre(text.toLowerCase() !== other.toLowerCase());
        expect(damageOf(text, other)).toBeUndefined();
      }),
      runs(200, 5_000),
    );
  });

  it.each([
    ['a', 'abcdefgh'],
    ['abc', 'abcdef'],
    ['abcdef', 'abcdefghijklmn'],
    ['', 'abcdef'],
    ['%', 'abcdef'],
    ['%FF%FE', 'abcdef'],
  ])('%j is not taken for %j', (sent, right) => expect(damageOf(sent, right)).toBeUndefined());

  it.each([
    ['a plus sign that was decoded', 'ab cd', 'ab+cd', /a plus sign became a space/],
    ['plus signs for spaces', 'ab+cd', 'ab cd', /plus signs/],
    ['characters of HTML', 'https://a.test/?a=1&amp;b=2', 'https://a.test/?a=1&b=2', /&amp;/],
    ['backslashes', 'https:\\/\\/a.test\\/cb', 'https://a.test/cb', /backslashes/],
    ['padding', 'abcdefgh==', 'abcdefgh', /= at its end/],
  ])('with %s is found', (_, sent, right, words) => expect(damageOf(sent, right)).toMatch(words));

  it('that is very long, or has nothing to undo, is left alone', () => {
    expect(mended(`${'a'.repeat(5_000)} `)).toEqual([]);
    expect(mended('plain-value-1')).toEqual([]);
  });
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: templates of shells are sent as they are.
const ofShell = '${CLIENT_ID}';

describe('A template in place of a value', () => {
  it.each([
    ...['{{client_id}}', ofShell, '$CLIENT_ID', '<client_id>', '{client_id}', '[client_id]', '%CLIENT_ID%'],
    ...['%7B%7Bclient_id%7D%7D', 'YOUR_CLIENT_ID', 'your-client-id', 'my_client_id', 'insert client id here'],
    ...[
      'undefined',
      'null',
      'None',
      'NaN',
      '[object Object]',
      'changeme',
      'xxxx',
      '...',
      '__CLIENT_ID__',
      ':client_id',
    ],
  ])('%s is seen', (text) => expect(placeholderIn(text)).toBeDefined());

  it.each([
    ...['my-app', 'yourchart', 'growth-chart', 'client', 'id', 'null-hypothesis', 'a', '', 'x', 'https://a.test/{id}'],
  ])('%j is none', (text) => expect(placeholderIn(text)).toBeUndefined());
});
