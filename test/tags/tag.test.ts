import type { TagForm } from '../../src/contract/clients/tags.js';
import type { Problem } from '../../src/platform/errors.js';
import { Tag } from '../../src/tags/domain/tag.js';

const create = (value: string, color: string) => Tag.create({ value, color } as TagForm, 'tag-1');

function problemsOf(value: string, color: string) {
  try {
    create(value, color);
  } catch (error) {
    return { kind: (error as Problem).kind, items: (error as Problem).body().errors };
  }
  return undefined;
}

const required = 'Tag value is required';
const start = 'Color must start with "#".';
const length = 'Hex color must be either 3 or 6 characters long (excluding "#").';
const format = 'Invalid hex color format. Use "#RRGGBB" or "#RGB", with valid hex characters (0-9, A-F).';

describe('a tag', () => {
  it.each(['#0A6375', '#0a6375', '#FfF', '#090'])('accepts the color %s', (color) => {
    expect(create('Cardiology', color)).toEqual({ id: 'tag-1', value: 'Cardiology', color });
  });

  it('is stored without the spaces around its value and its color', () => {
    expect(create('  Heart clinic ', ' #0A6375 ')).toEqual({ id: 'tag-1', value: 'Heart clinic', color: '#0A6375' });
  });

  it.each([
    ['no value', '', '#FFF', 'value', required],
    ['only spaces as value', '   ', '#FFF', 'value', required],
    ['21 characters', 'a'.repeat(21), '#FFF', 'value', 'Please enter at most 20 characters'],
    ['a line break in its value', 'a\nb', '#FFF', 'value', 'Please enter a valid value'],
    ['no number sign', 'Cardiology', '0A6375', 'color', start],
    ['no color', 'Cardiology', '', 'color', start],
    ['four digits', 'Cardiology', '#0A63', 'color', length],
    ['the number sign alone', 'Cardiology', '#', 'color', length],
    ['a first digit that is none', 'Cardiology', '#GA6375', 'color', format],
    ['a last digit that is none', 'Cardiology', '#0A637G', 'color', format],
    ['three letters that are no digits', 'Cardiology', '#xyz', 'color', format],
  ])('is refused with %s', (_, value, color, field, message) => {
    expect(problemsOf(value, color)).toEqual({ kind: 'invalid', items: [{ field, messages: [message] }] });
  });

  it('is refused with a message for each of two wrong fields', () => {
    expect(problemsOf('', 'red')?.items.map(({ field }) => field)).toEqual(['value', 'color']);
  });

  it('of 20 characters, counted without the spaces around them, is accepted', () => {
    expect(create(` ${'a'.repeat(20)} `, '#FFF').value).toBe('a'.repeat(20));
  });

  it('keeps its id when it is changed, and the earlier instance is unchanged', () => {
    const before = create('Cardiology', '#FFF');
    const after = before.change({ value: 'Heart', color: '#000' } as TagForm);
    expect(after).toEqual({ id: 'tag-1', value: 'Heart', color: '#000' });
    expect(before.value).toBe('Cardiology');
    expect(() => before.change({ value: '', color: '#000' } as TagForm)).toThrow();
  });
});
