import { isolateName } from './isolate-name.js';

const onPage = (name: string) => isolateName(name, 'ltr');

describe('a name within a sentence', () => {
  it.each(['Heart Companion', 'n'.repeat(60)])('is left as it is while the sentence can bear it: %s', (name) => {
    expect(onPage(name)).toBe(name);
  });

  it('is shortened when it is too long for the sentence', () => {
    expect(onPage('a'.repeat(200))).toBe(`${'a'.repeat(59)}…`);
    expect(onPage(`${'a'.repeat(58)} ${'b'.repeat(100)}`)).toBe(`${'a'.repeat(58)}…`);
  });

  it('is shortened between graphemes', () => {
    const nurse = '🧑🏽‍⚕️';
    expect(onPage(nurse.repeat(60))).toBe(nurse.repeat(60));
    expect(onPage(nurse.repeat(61))).toBe(`${nurse.repeat(59)}…`);
  });

  it.each([
    ['in Hebrew', 'מעקב לב'],
    ['in Arabic', 'تطبيق القلب (2)'],
    ['with a mark that turns what follows', 'Heart\u202e Companion'],
  ])('%s is isolated from the text direction of the sentence', (_, name) => {
    expect(onPage(name)).toBe(`\u2068${name}\u2069`);
  });

  it('is isolated in any script on a right-to-left page', () => {
    expect(isolateName('Vitals (sample app)', 'rtl')).toBe('\u2068Vitals (sample app)\u2069');
  });
});
