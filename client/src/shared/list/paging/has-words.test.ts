import { hasWords } from './has-words.js';

it.each([
  ['', true],
  ['duarte', true],
  ['LEO d', true],
  ['mia', false],
  ['leo mia', false],
])('A search for %j finds Leo Duarte: %s', (term, expected) => {
  expect(hasWords('Leo Duarte', term)).toBe(expected);
});
