import fc from 'fast-check';
import { someInTurns } from '../../../src/platform/process/turns.js';
import { type JsonLimits, JsonTooComplex, jsonInTurns } from '../../../src/platform/values/json-in-turns.js';
import { longestTurnBelow } from '../../support/longest-turn.js';
import { runs } from '../../support/runs.js';

const all = Number.POSITIVE_INFINITY;
const unlimited: JsonLimits = { levels: all, members: all, items: all, parts: all };
const megabyte = 1024 * 1024;
/** More than is parsed at once. */
const filling = 'x'.repeat(70_000);

const asParsed = async (text: string) =>
  jsonInTurns(text, unlimited).then(
    ({ value }) => ({ value }),
    () => 'refused',
  );
const byEngine = (text: string) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'refused';
  }
};

/** Long lists and objects in each other, with blanks between: what is cut, and what is not. */
const documents = fc.letrec<{ value: string; long: string }>((tie) => {
  const blank = fc.constantFrom('', ' ', '\n\t', ' '.repeat(66_000));
  const short = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
  const item = fc.oneof({ weight: 3, arbitrary: short }, fc.constant(`"${filling}"`), tie('long'));
  const name = fc.constantFrom('"a"', '"b\\u0041"', '"__proto__"', '"c d"', '"\\\\"', '"9"', `"${filling}"`);
  const member = fc.tuple(name, blank, item).map(([key, space, text]) => `${key}${space}:${space}${text}`);
  const listed = (one: fc.Arbitrary<string>, [begin, end]: readonly [string, string]) =>
    fc.tuple(fc.array(one, { maxLength: 5 }), blank).map(([texts, space]) => {
      return `${begin}${space}${texts.join(`${space},`)}${space}${end}`;
    });
  return {
    value: item,
    long: fc.oneof({ depthSize: 'small' }, listed(item, ['[', ']']), listed(member, ['{', '}'])),
  };
});

it('reads any JSON as JSON.parse does', () =>
  fc.assert(
    fc.asyncProperty(documents.long, async (text) => {
      expect(await asParsed(text)).toEqual(byEngine(text));
    }),
    runs(60, 2_000),
  ));

it('refuses what JSON.parse refuses, wherever a character is lost, doubled or another', () =>
  fc.assert(
    fc.asyncProperty(
      documents.long,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(...'{}[],:"\\ 1'),
      async (text, share, other) => {
        // The places at which something is decided are few among the fillings.
        const places = [...text.matchAll(/[{}[\],:"\\]/g)].map(({ index }) => index);
        const at = places[Math.floor(share * (places.length - 1))] ?? 0;
        for (const changed of [
          text.slice(0, at) + text.slice(at + 1),
          text.slice(0, at) + text.slice(at, at + 1) + text.slice(at),
          text.slice(0, at) + other + text.slice(at + 1),
          text.slice(0, at),
        ]) {
          expect(await asParsed(changed)).toEqual(byEngine(changed));
        }
      },
    ),
    runs(40, 1_000),
  ));

it.each([
  '[1,,2]',
  '[,1]',
  '[1,]',
  '{"a":1,}',
  '{,"a":1}',
  '[1] [2]',
  '1 2',
  '',
  '[1}',
  '{"a"}',
  '{"a":}',
  '[1]]',
  '"a',
])('refuses %s, with a long item in each place', async (text) => {
  const long = `[${Array(30_000).fill('0')}]`;
  for (const part of ['', ...new Set(text.match(/[12]/g) ?? [])]) {
    expect(await asParsed(part === '' ? text : text.replace(part, long))).toBe('refused');
  }
  const blank = ' '.repeat(70_000);
  expect(await asParsed(text.split('').join(text.includes('"a') ? '' : blank))).toBe('refused');
});

it('tells a name that one object has twice, however it is written, and the name __proto__', async () => {
  const read = (text: string) => jsonInTurns(text, unlimited);
  for (const around of [(text: string) => text, (text: string) => `[${Array(30_000).fill('0')},${text}]`]) {
    expect(await read(around('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'))).toMatchObject({ duplicate: undefined });
    expect(await read(around('{"a":1,"b":{"c":1,"\\u0063":2}}'))).toMatchObject({ duplicate: 'c' });
    expect(await read(around('{"a":"b","b":"a","c":["a","a"]}'))).toMatchObject({ duplicate: undefined });
    expect(await read(around('{"a":{"__pr\\u006fto__":1}}'))).toMatchObject({ hasPrototype: true });
    expect(await read(around('{"a":"__proto__"}'))).toMatchObject({ hasPrototype: false });
  }
});

it.each([
  ['levels', '[[[1]]]', '[[1]]', { levels: 2 }],
  ['members', '{"a":1,"b":2,"c":3}', '{"a":1,"b":2}', { members: 2 }],
  ['items', '[1,2,3]', '[1,2]', { items: 2 }],
  ['parts', '[{"a":1},{"b":2,"c":3}]', '[{"a":1},{"b":2}]', { parts: 4 }],
] as const)('refuses more %s than are allowed', async (limit, tooMany, enough, limits) => {
  await expect(jsonInTurns(tooMany, { ...unlimited, ...limits })).rejects.toMatchObject({ limit });
  await expect(jsonInTurns(tooMany, { ...unlimited, ...limits })).rejects.toBeInstanceOf(JsonTooComplex);
  expect(await jsonInTurns(enough, { ...unlimited, ...limits })).toMatchObject({ value: JSON.parse(enough) });
});

it('finds a value by its name and its content at any depth', async () => {
  const value = { a: [{ reference: 'Patient/1' }, { reference: ['Patient?x=1'] }] };
  expect(await someInTurns(value, (one, name) => name === 'reference' && one === 'Patient?x=1')).toBe(true);
  expect(await someInTurns(value, (one, name) => name === 'a' && one === 'Patient?x=1')).toBe(false);
});

const filled = (piece: string, size: number) => `[${Array(Math.ceil(size / (piece.length + 1))).fill(piece)}]`;
const bodies: Record<string, (size: number) => string> = {
  'empty lists': (size) => filled('[]', size),
  'empty objects': (size) => filled('{}', size),
  'small objects': (size) => filled('{"a":0}', size),
  'lists in lists': (size) => filled('['.repeat(90) + ']'.repeat(90), size),
  'more levels than are read': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'different names': (size) =>
    `{${Array.from({ length: size / 12 }, (_, index) => `"${index.toString(36)}":0`).join()}}`,
  'objects with different names': (size) =>
    `[${Array.from({ length: size / 14 }, (_, index) => `{"${index.toString(36)}":0}`).join()}]`,
  'one name, again and again': (size) => `{${filled('"a":0', size).slice(1, -1)}}`,
  'names with escapes': (size) => filled('{"\\u0061":0}', size),
  digits: (size) => filled('-1.2345678901234567e-300', size),
  blanks: (size) => `[${' '.repeat(size)}]`,
  'one text': (size) => `["${'x'.repeat(size)}"]`,
  'one text of escapes': (size) => `["${'\\u0041'.repeat(size / 6)}"]`,
  'one text of quotation marks': (size) => `["${'\\"'.repeat(size / 2)}"]`,
};

it.each(Object.entries(bodies))('reads %s in short turns', async (_, bodyOf) => {
  const text = bodyOf(5 * megabyte);
  const limits = { levels: 100, members: 1_000, items: all, parts: 500_000 };
  await jsonInTurns('[]', limits);
  const reading = () => jsonInTurns(text, limits).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  // In one turn each of these takes seconds, or a part of one.
  expect(await longestTurnBelow(300, reading)).toBeLessThan(300);
});
