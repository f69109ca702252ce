import fc from 'fast-check';
import { Base64Text, BrokenContent } from '../../../src/gateway/domain/binary/base64-text.js';
import { runs } from '../../support/runs.js';

/** Decodes the text in pieces that end at these places. */
function decoded(text: string, ends: readonly number[] = []): string {
  const base64 = new Base64Text();
  const places = [...ends, text.length].map((end) => Math.min(end, text.length)).toSorted((one, other) => one - other);
  const pieces = places.map((end, index) => base64.decode(text.slice(places[index - 1] ?? 0, end)));
  base64.end();
  return Buffer.concat(pieces).toString('latin1');
}

describe('base64 in JSON', () => {
  test('is decoded in whatever pieces and with whatever escapes it comes', () => {
    const forms = [
      (character: string) => character,
      (character: string) => `${character}\\n`,
      (character: string) => `${character} \\r\\n\\t`,
      (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`,
      (character: string) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`,
      (character: string) => (character === '/' ? '\\/' : character),
    ];
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.array(fc.nat(300), { maxLength: 12 }),
        fc.array(fc.constantFrom(...forms), { minLength: 1 }),
        (bytes, ends, spelled) => {
          const plain = Buffer.from(bytes).toString('base64');
          const text = [...plain].map((character, index) => spelled[index % spelled.length]?.(character)).join('');
          expect(decoded(text, ends)).toBe(Buffer.from(bytes).toString('latin1'));
        },
      ),
      runs(300, 5_000),
    );
  });

  test.each([
    'QQ',
    'QUI',
    'Q',
    'QQ=',
    'Q===',
    'QQ==QQ==',
    'QQ==Q',
    '=QQQ',
    'QQ=Q',
    'QUJ_',
    'QUJ-',
    'QUJ,',
    'QUJD\\x',
    'QUJD\\b',
    'QUJD\\',
    'QUJD\\u00',
    'QUJD\\u0000',
    'QUJÄ',
  ])('is refused as %s, in whatever pieces it comes', (text) => {
    for (let end = 0; end <= text.length; end += 1) expect(() => decoded(text, [end])).toThrow(BrokenContent);
  });
});
