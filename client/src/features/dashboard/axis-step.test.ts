import { axisStep } from './axis-step.js';

describe('the lines of a chart', () => {
  it.each([
    [0, 1],
    [3, 1],
    [4, 2],
    [9, 3],
    [10, 5],
    [16, 10],
    [84, 30],
    [91, 50],
    [1_000_000, 500_000],
  ])('for values up to %i are %i apart', (highest, step) => {
    expect(axisStep(highest, 3)).toBe(step);
  });
});
