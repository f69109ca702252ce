import fc from 'fast-check';
import { initials } from '../../src/contract/rules/initials.js';
import { mostLike, nearest } from '../../src/contract/rules/nearest.js';
import { runs } from '../support/runs.js';

/** By the definition, without a table. */
function differences(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [first = '', next = ''] = [one[0], other[0]];
  if (first === next) return differences(one.slice(1), other.slice(1));
  return Math.min(
    (first.toLowerCase() === next.toLowerCase() ? 0.5 : 1) + differences(one.slice(1), other.slice(1)),
    1 + differences(one, other.slice(1)),
    1 + differences(one.slice(1), other),
  );
}

describe('the text that is most like another one', () => {
  it.each<[text: string, candidates: string[], found: string | undefined]>([
    // The first of those that differ in case alone, before one that differs less.
    ['PATIENT', ['PATIENTS', 'Patient', 'patient'], 'Patient'],
    ['PATIENT', ['PATIENTS'], 'PATIENTS'],
    ['Patients', ['Encounter', 'Patient'], 'Patient'],
    ['Spaceship', ['Patient'], undefined],
    ['', ['Patient'], undefined],
  ])('of %s among %j is %s', (text, candidates, found) => {
    expect(mostLike(text, candidates)).toBe(found);
  });
});

describe('the nearest text', () => {
  it.each<[text: string, candidates: string[], found: string | undefined]>([
    ['redirectUri', ['redirectUris', 'requirePar'], 'redirectUris'],
    ['redirectUris', ['redirectUri'], 'redirectUri'],
    ['enable', ['enabled'], 'enabled'],
    // The one with fewer differences, wherever it stands; the first of two equal ones.
    ['kitten', ['mitten', 'kittens', 'kitten5'], 'mitten'],
    ['123456789', ['123456xyz', '12345678x'], '12345678x'],
    ['123456789', ['12345678x', '123456xyz'], '12345678x'],
    // A third of the characters may differ, and always one.
    ['123456789', ['123456xyz'], '123456xyz'],
    ['123456789', ['12345abcd'], undefined],
    ['ab', ['ax'], 'ax'],
    ['ab', ['xy'], undefined],
    ['a', ['abc'], undefined],
    ['', ['a', 'ab'], 'a'],
    // Another case is half a difference.
    ['ABCD', ['abCD'], 'abCD'],
    ['ABCD', ['abcD'], undefined],
    ['ab', ['aX', 'AB'], 'aX'],
    ['ab', ['xb', 'Ab'], 'Ab'],
    ['anything', [], undefined],
  ])('to %j of %j is %j', (text, candidates, found) => {
    expect(nearest(text, candidates)).toBe(found);
  });

  it('is found by the first 200 characters', () => {
    const same = 'x'.repeat(200);
    expect(nearest(`${same}aaa`, [`${same}bbb`])).toBe(`${same}bbb`);
    expect(nearest(`a${same}`, [`${'b'.repeat(201)}`])).toBe(undefined);
    expect(nearest(`${same}a`, [`${same}b`, `${same}a`])).toBe(`${same}b`);
    expect(nearest(`${same}aaa`, [`${same.slice(3)}aaa`, `${same}bb`])).toBe(`${same}bb`);
    expect(nearest(same, [`${same}aaa`, `y${same.slice(1)}`])).toBe(`${same}aaa`);
  });

  it('has no length that differs by more than the differences that count', () => {
    const text = 'x'.repeat(200);
    expect(nearest(text, ['x'.repeat(267)])).toBe(undefined);
    expect(nearest(text, ['x'.repeat(266)])).toBe('x'.repeat(266));
    expect(nearest(text, [`y${text.slice(1)}`, `${text}x`])).toBe(`y${text.slice(1)}`);
  });

  it('is the first with the fewest characters to insert, to remove or to replace', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 7 });
    fc.assert(
      fc.property(short, fc.array(short, { maxLength: 3 }), (text, candidates) => {
        const most = Math.max(1, Math.floor(text.length / 3)) + 0.4;
        const near = candidates.filter((candidate) => differences(text, candidate) < most);
        const fewest = Math.min(...near.map((candidate) => differences(text, candidate)));
        expect(nearest(text, candidates)).toBe(near.find((candidate) => differences(text, candidate) === fewest));
      }),
      runs(500, 20_000),
    );
  });
});

describe('initials', () => {
  it.each([
    ['Heart Companion', 'HC'],
    ['heart companion app', 'HC'],
    ['HeartCompanion', 'HC'],
    ['Heart', 'HE'],
    ['X', 'X'],
    ['  ward-board 2', 'WB'],
    ['3 Wards', '3W'],
    ['élan vital', 'ÉV'],
    ['𝒜7', '𝒜7'],
    [' ♥☆ ', '♥'],
    ['', ''],
  ])('of %j are %j', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });
});
