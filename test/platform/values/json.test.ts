import fc from 'fast-check';
import { duplicateMember } from '../../../src/platform/values/json.js';

describe('duplicateMember', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"a":1}', 'a'],
    ['{"a":[],"a":{}}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"b":{"c":1,"d":[{"e":0,"e":0}]}}]', 'e'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('names the member that occurs twice in %s', (text, name) => {
    expect(duplicateMember(text)).toBe(name);
  });

  it.each(['{"a":{"a":1},"b":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":"a","A":"a"}', '"a"', '[]'])(
    'finds none in %s',
    (text) => {
      expect(duplicateMember(text)).toBeUndefined();
    },
  );

  it('finds none in the output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json(), (text) => duplicateMember(JSON.stringify(JSON.parse(text))) === undefined));
  });
});
