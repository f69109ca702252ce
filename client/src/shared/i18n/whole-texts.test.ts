import { isTexts, type Texts, texts } from '../../../texts.js';

/**
 * A text that only makes sense behind or in front of another: a mark at its beginning, or two values without a word
 * between.
 */
const fragment = /^[\s,.;:)]| $|\}\}\{\{/;

function all(section: Texts, path = ''): [key: string, text: string][] {
  return Object.entries(section).flatMap(([name, value]) =>
    isTexts(value) ? all(value, `${path}${name}.`) : [[path + name, value]],
  );
}

it('A text of the catalogue is whole: code never puts two texts together', () => {
  expect(
    all(texts)
      .filter(([, text]) => fragment.test(text))
      .map(([key]) => key),
  ).toEqual([]);
});

it.each([', with {{app}}', 'It wants to {{acts}}{{time}}.', ' and more'])('A fragment is found: %j', (text) => {
  expect(fragment.test(text)).toBe(true);
});
