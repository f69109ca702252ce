import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { losslessParse } from '../../../src/gateway/application/server/lossless-parse.js';
import { runs } from '../../support/runs.js';

/** Longer than the texts that are parsed in their place. */
const long = 64 * 1024 + 1;

describe('JSON with very long texts', () => {
  test('is parsed as any other, with all decimals', () => {
    const part = fc.oneof(fc.constantFrom('x', 'é😀', '\\"', '\\\\', '\\u0041', '\\/', '{\\"a\\":1},[', ':'.repeat(3)));
    const text = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean())
      .map(([parts, isLong]) =>
        isLong ? parts.join('').repeat(Math.ceil(long / parts.join('').length)) : parts.join(''),
      );
    const value = fc.oneof(
      text.map((one) => `"${one}"`),
      fc.constantFrom('1.50', '-0', '1E400', '12345678901234567890', 'null', '[]'),
    );
    const members = fc.array(fc.tuple(text, value, fc.constantFrom('', ' ', '\n')), { maxLength: 4 });
    const json = members.map(
      (all) => `{${all.map(([name, one, space], index) => `"${index}${name}"${space}:${space}${one}`)}}`,
    );
    fc.assert(
      fc.property(json, (all) => {
        const parsed = losslessParse(all);
        expect(stringify(parsed) === stringify(parse(all))).toBe(true);
      }),
      runs(30, 500),
    );
  });

  test('is parsed with numbers of the caller’s choice', () => {
    const json = `{"a":1.50,"b":"${'x'.repeat(long)}","c":[2]}`;
    expect(losslessParse(json, (digits) => digits)).toMatchObject({ a: '1.50', c: ['2'] });
  });

  test('takes no time for each character of a text', () => {
    const begun = performance.now();
    const { data } = losslessParse(`{"data":"${'QUJD'.repeat(2_500_000)}"}`) as { data: string };
    expect([data.length, performance.now() - begun < 2_000]).toEqual([10_000_000, true]);
  });

  test.each([
    `{"a":"${'x'.repeat(long)}`,
    `{"a":"${'x'.repeat(long)}\\"`,
    `{"a":"${'x'.repeat(long)}"`,
    `{"a":"${'\n'.repeat(long)}"}`,
  ])('is refused if it is broken after its first text', (json) => {
    expect(() => losslessParse(json)).toThrow(SyntaxError);
  });

  test('is refused with a member twice, unless both have the same value', () => {
    const data = 'x'.repeat(long);
    expect(() => losslessParse(`{"a":"${data}","a":"${data}y"}`)).toThrow(/Duplicate key/);
    expect(() => losslessParse(`{"a":1,"a":2,"b":"${data}"}`)).toThrow(/Duplicate key/);
  });
});
