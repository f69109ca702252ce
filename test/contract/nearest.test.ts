import { initials } from '../../src/contract/rules/initials.js';
import { nearest } from '../../src/contract/rules/nearest.js';

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
    [' ♥♥ ', '♥'],
    ['', ''],
  ])('of %j are %j', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });
});
