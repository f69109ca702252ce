import { relationText } from './relation-text.js';

describe('The line about a patient for whom the user acts', () => {
  it.each([
    ['2022-03-09', 'Your child, 4 years'],
    ['2022-11-30', 'Your child, 3 years'],
    ['2025-01-29', 'Your child, 22 months'],
    ['2025-10-30', 'Your child, 12 months'],
    ['2024-11-29', 'Your child, 2 years'],
    ['2022-03', 'Your child'],
    ['2030-01-01', 'Your child'],
    ['soon', 'Your child'],
    [null, 'Your child'],
  ])('says of one born %s: %s', (birthDate, expected) => {
    expect(relationText('child', birthDate, new Date(2026, 10, 29))).toBe(expected);
  });
});
