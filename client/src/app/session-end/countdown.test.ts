import { clock, spokenAt } from './countdown.js';

it.each([
  [120, '2:00'],
  [65, '1:05'],
  [0, '0:00'],
])('a countdown of %i seconds is shown as %s', (seconds, shown) => {
  expect(clock(seconds)).toBe(shown);
});

it.each([
  [120, 120],
  [61, 120],
  [60, 60],
  [31, 60],
  [30, 30],
  [11, 30],
  [10, 10],
  [0, 10],
])('a countdown at %i seconds announces %i to screen readers', (seconds, announced) => {
  expect(spokenAt(seconds)).toBe(announced);
});
