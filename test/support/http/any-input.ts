import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import fc from 'fast-check';

/** Texts that forms and addresses do not expect. */
const awkwardTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u2066',
  '%',
  '%00',
  '%zz',
  '%ed%a0%80',
  '..',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '{{ 7 | times: 7 }}',
  '<img src=x onerror=alert(1)>',
  'x'.repeat(300),
  'x'.repeat(9000),
  '𝒳'.repeat(400),
  'ﷺ'.repeat(300),
  '1e999',
  '-1',
  '0x10',
  '９',
  '99999999999999999999',
  '2026-02-31',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00T00:00:00Z',
  'http://[',
  'http://a:b@c:99999/',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://xn--/',
  'https://例え.テスト/ü',
  '{"kty":"RSA"}',
  '{"kty":"EC","crv":"P-256","x":"a","y":"b"}',
  '[[[[[[[[]]]]]]]]',
  'a@b',
  '"a b"@example.org',
  'a@[127.0.0.1]',
  '*',
  '(((((',
  '\\',
];

export const awkwardText = fc.oneof(
  fc.constantFrom(...awkwardTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

const awkwardValue: fc.Arbitrary<unknown> = fc.oneof(
  awkwardText,
  fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, -0, [], {}, [[]], [null], { toString: null }, { length: -1 }),
  fc.jsonValue(),
);

const hintsOf = (type: object) => getMetadataStorage().getTargetValidationMetadatas(type as never, '', false, false);

/** The members of a class that have validation rules. */
export function membersOf(type: object): string[] {
  return [...new Set(hintsOf(type).map(({ propertyName }) => propertyName))];
}

/** A body for a class: values that its rules expect or any others, with missing and unknown members. */
export function bodyFor(type: object, known: fc.Arbitrary<string>, depth = 0): fc.Arbitrary<unknown> {
  const hints = hintsOf(type);
  const members = membersOf(type).map((name) => {
    const ofName = hints.filter(({ propertyName }) => propertyName === name);
    const nested = depth < 3 ? nestedType(type, name) : undefined;
    const inner = nested && bodyFor(nested, known, depth + 1);
    const each = ofName.some(({ each, name: rule }) => each || rule === 'isArray');
    const one = inner ?? plausible(ofName, known);
    const fitting = each ? fc.array(one, { maxLength: 4 }) : one;
    return [name, fc.oneof({ weight: 8, arbitrary: fitting }, { weight: 1, arbitrary: awkwardValue })] as const;
  });
  const object = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  const whole = fc.record(Object.fromEntries(members));
  if (depth > 0) return fc.oneof({ weight: 4, arbitrary: whole }, object);
  const more = fc.tuple(object, fc.dictionary(awkwardText, awkwardValue, { maxKeys: 2 }));
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 2, arbitrary: object },
    more.map((parts) => Object.assign({}, ...parts)),
    awkwardValue,
  );
}

/** The class of a member's nested objects. */
function nestedType(type: object, name: string): object | undefined {
  const made = plainToInstance(type as never, { [name]: [{}] }) as Record<string, object[] | undefined>;
  const found = made[name]?.[0]?.constructor;
  return found === Object ? undefined : found;
}

interface Hint {
  name?: string;
  constraints?: unknown[];
}

function plausible(hints: Hint[], known: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const rule = (wanted: string) => hints.find(({ name }) => name === wanted);
  const [choices] = rule('isIn')?.constraints ?? [];
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  if (rule('isBoolean')) return fc.boolean();
  if (rule('isInt')) return fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer());
  if (rule('isUuid')) return fc.oneof(known, fc.uuid());
  return fc.oneof({ weight: 2, arbitrary: known }, awkwardText, fc.emailAddress(), fc.webUrl(), fc.lorem());
}
