import fc from 'fast-check';
import { BrokenBundle, type BundlePiece, BundlePieces } from '../../../src/gateway/domain/answers/bundle-pieces.js';
import { runs } from '../../support/runs.js';

/** The pieces of a text that arrives in parts of these lengths. */
function piecesOf(text: string, lengths: readonly number[] = [text.length]): BundlePiece[] {
  const bytes = Buffer.from(text);
  const pieces = new BundlePieces();
  const found: BundlePiece[] = [];
  let from = 0;
  for (let index = 0; from < bytes.length; index += 1) {
    const to = from + (lengths[index % lengths.length] ?? 1);
    found.push(...pieces.read(bytes.subarray(from, to)));
    from = to;
  }
  pieces.end();
  return found;
}

/** The Bundle that the pieces are of. */
function whole(pieces: readonly BundlePiece[]): object {
  const members: [string, unknown][] = [];
  const entry: unknown[] = [];
  for (const { name, isEntry, text, value, bytes } of pieces) {
    expect([JSON.parse(text), Buffer.byteLength(text)]).toEqual([value, bytes]);
    if (isEntry) entry.push(value);
    else members.push([name, value]);
  }
  return { ...Object.fromEntries(members), ...(entry.length > 0 && { entry }) };
}

test('each member of a Bundle, and each entry, is a piece of its own, as it was written', () => {
  const pieces = piecesOf(
    '\n{ "resourceType" :"Bundle","total": 1.50 ,"entry":[ {"a":[1]}\n, null ,"x" ] ,"\\u0069d":"é\\"" }\n',
  );
  expect(pieces.map(({ name, isEntry, text }) => [name, isEntry, text])).toEqual([
    ['resourceType', false, '"Bundle"'],
    ['total', false, '1.50'],
    ['entry', true, '{"a":[1]}'],
    ['entry', true, 'null'],
    ['entry', true, '"x"'],
    ['id', false, '"é\\""'],
  ]);
});

test.each(['{}', '{"entry":[]}', '{"entry":null}', ' { "entry" : [ ] } '])('%s has no entries', (text) => {
  expect(piecesOf(text)).toEqual([]);
});

test('any Bundle comes apart and together again, wherever it is cut', () => {
  const names = fc.oneof(fc.constantFrom('resourceType', 'link', 'total', 'x"\\é', '__proto__'), fc.string());
  const value = fc.jsonValue({ maxDepth: 3 });
  const bundle = fc.record({
    members: fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 5 }),
    entry: fc.array(value, { minLength: 1, maxLength: 5 }),
    space: fc.constantFrom(undefined, 1, '\t\r\n'),
    lengths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
  });
  fc.assert(
    fc.property(bundle, ({ members, entry, space, lengths }) => {
      const written = { ...Object.fromEntries(members.filter(([name]) => name !== 'entry')), entry };
      const text = JSON.stringify(written, undefined, space);
      expect(whole(piecesOf(text, lengths))).toEqual(JSON.parse(text));
    }),
    runs(200, 2000),
  );
});

test('only what has not ended is held', () => {
  const pieces = new BundlePieces();
  expect(pieces.heldBytes).toBe(0);
  pieces.read(Buffer.from('{"entry":[{"a":1},{"b":'));
  expect(pieces.heldBytes).toBe('{"b":'.length);
  pieces.read(Buffer.from('2}'));
  expect(pieces.heldBytes).toBe(0);
});

const broken = [
  '',
  ' ',
  'null',
  '[]',
  '"Bundle"',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,}',
  '{,"a":1}',
  '{"a" 1}',
  '{"a":}',
  '{"a":,"b":1}',
  '{"a":1 "b":2}',
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":1}',
  '{"a":tru}',
  '{"a":[1}}',
  '{"a":{]}',
  '{"a":"\n"}',
  '{a:1}',
  '{1 :2}',
  '{"a":1,2 :3}',
  '{"a",1}',
  '{"a"}',
  '{"entry":{}}',
  '{"entry":"x"}',
  '{"entry":[{}]',
  '{"entry":[{},]}',
  '{"entry":[,{}]}',
  '{"entry":[{}{}]}',
  '{"entry":[{}}',
  '{"entry":[{}}}',
  '{"entry":[}',
  '{"entry":[{"a":}]}',
  '{"entry":[01]}',
  '{"entry":[],"entry":[]}',
  '{}{}',
  '{} x',
  '{"a":1}]',
];

test.each(broken)('%s is refused, wherever it is cut', (text) => {
  expect(() => piecesOf(text)).toThrow(BrokenBundle);
  expect(() => piecesOf(text, [1])).toThrow(BrokenBundle);
});

test('the reason is told', () => {
  expect(() => piecesOf('{"a":1')).toThrow('it ended too early');
  expect(() => piecesOf('{"a":1 x')).toThrow('an unexpected character after-value');
  expect(() => piecesOf('{"a":x}')).toThrow('it is not JSON');
  expect(() => piecesOf('{"entry":1}')).toThrow('its entries are not a list');
  expect(() => piecesOf('{"a":1,"a":2}')).toThrow('it has a member twice');
});

test('no text that is no JSON comes apart', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '1',
    '-',
    'null',
    '"a"',
    '"entry"',
    '{"entry":[',
    '{}',
    'é',
  ];
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 5 }), (text, length) => {
      let pieces: BundlePiece[];
      try {
        pieces = piecesOf(text, [length]);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenBundle);
        return;
      }
      expect(whole(pieces)).toEqual(whole(pieces.length > 0 ? piecesOf(JSON.stringify(JSON.parse(text))) : []));
      JSON.parse(text);
    }),
    runs(1000, 20_000),
  );
});
