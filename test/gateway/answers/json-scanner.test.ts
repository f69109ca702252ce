import fc from 'fast-check';
import { JsonScanner } from '../../../src/gateway/domain/answers/json-scanner.js';
import { runs } from '../../support/runs.js';

/** The events of a text that arrives in these parts, with their depth, and the name or text that was read. */
function eventsOf(parts: string[], deepest: number): string[] {
  const json = new JsonScanner(deepest);
  const events: string[] = [];
  for (const part of parts) {
    json.read(part);
    for (let event = json.next(); event !== undefined; event = json.next()) {
      const what = event === 'opened' || event === 'closed' ? part[json.at - 1] : json.text;
      events.push(`${json.depth} ${event} ${what}`);
    }
  }
  return events;
}

/** The same events, derived from the parsed value. */
function eventsIn(value: unknown, deepest: number, depth = 0): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth > deepest) return [];
  const isList = Array.isArray(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const inside = eventsIn(member, deepest, depth + 1);
    if (isList || depth + 1 > deepest) return inside;
    const text = typeof member === 'string' ? [`${depth + 1} text ${member}`] : [];
    return [`${depth + 1} named ${name}`, ...text, ...inside];
  });
  return [`${depth + 1} opened ${isList ? '[' : '{'}`, ...members, `${depth} closed ${isList ? ']' : '}'}`];
}

describe('the JSON scanner', () => {
  test.each<[string, number, string[]]>([
    ['{}', 1, ['1 opened {', '0 closed }']],
    ['{"a":"b"}', 1, ['1 opened {', '1 named a', '1 text b', '0 closed }']],
    ['["a","b"]', 1, ['1 opened [', '0 closed ]']],
    ['{"a":{"b":[{}]}}', 1, ['1 opened {', '1 named a', '2 opened {', '1 closed }', '0 closed }']],
    ['{"a":"}\\"]"}', 1, ['1 opened {', '1 named a', '1 text \\}]', '0 closed }']],
    ['{"\\u0061":1}', 1, ['1 opened {', '1 named \\0061', '0 closed }']],
    [`{"${'x'.repeat(70)}":1}`, 1, ['1 opened {', `1 named ${'x'.repeat(64)}`, '0 closed }']],
    ['{ "a" : 1 , "b" : "c" }', 1, ['1 opened {', '1 named a', '1 named b', '1 text c', '0 closed }']],
    // No JSON:
    ['"a"', 1, []],
    [':1', 1, ['0 named ']],
    ['{"a":"b" "c"', 1, ['1 opened {', '1 named a', '1 text b']],
    ['{"a":{"b":1}"c"', 2, ['1 opened {', '1 named a', '2 opened {', '2 named b', '1 closed }']],
  ])('finds in %s down to depth %i: %j', (json, deepest, expected) => {
    expect(eventsOf([json], deepest)).toEqual(expected);
    expect(eventsOf([...json], deepest)).toEqual(expected);
  });

  test('knows the member of each level', () => {
    const json = new JsonScanner(4);
    json.read('{"a":{"b":[{"c":1');
    while (json.next() !== undefined);
    expect(json.members.slice(1)).toEqual(['a', 'b', '', 'c']);
  });

  test('knows no member after a comma', () => {
    const json = new JsonScanner(4);
    json.read('{"a":1,[');
    while (json.next() !== undefined);
    expect(json.members.slice(1)).toEqual(['', '']);
  });

  test('finds the same events for any chunks, and skips deeper levels', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '{', ']', ',', ':') });
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        text,
        fc.constantFrom(1, true, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, fc.nat({ max: 4 }), fc.integer({ min: 1, max: 9 }), (read, deepest, size) => {
        const json = JSON.stringify({ read });
        const parts = json.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
        expect(eventsOf(parts, deepest)).toEqual(eventsIn({ read }, deepest));
      }),
      runs(500, 20_000),
    );
  });
});
