/** The selection of the usual run from tables of several dimensions: `npm run test:long` has all cases. */
import { inTurn, itInTurn } from '../support/runs.js';

describe('The cases of a table', () => {
  const cases = (rows: number, all: boolean) =>
    Array.from({ length: rows }, (_, row) => inTurn(['a', 'b', 'c'], row, { all }).map((value) => `${row}${value}`));

  it('are one for each row in the usual run, with the values in turn', () => {
    expect(cases(5, false)).toEqual([['0a'], ['1b'], ['2c'], ['3a'], ['4b']]);
  });

  it('are all in the long run', () => {
    expect(cases(2, true)).toEqual([
      ['0a', '0b', '0c'],
      ['1a', '1b', '1c'],
    ]);
  });

  it('are none where there are no values', () => {
    expect([inTurn([], 1, { all: false }), inTurn([], 1, { all: true })]).toEqual([[], []]);
  });
});

describe('The tests of each of several kinds', () => {
  /** The titles of the tests that are declared for each kind. */
  const declared = (kinds: number, titles: string[], all: boolean, turns?: number) =>
    Array.from({ length: kinds }, (_, number) => {
      const own: string[] = [];
      const test = itInTurn(number, turns, { all, declare: (title) => own.push(title) });
      for (const title of titles) test(title, () => undefined);
      return own.join('');
    });

  it('are run for one kind of three in the usual run, so that each kind runs some', () => {
    expect(declared(6, ['a', 'b', 'c', 'd'], false)).toEqual(['ad', 'c', 'b', 'ad', 'c', 'b']);
  });

  it('are run for one kind of two', () => {
    expect(declared(2, ['a', 'b', 'c'], false, 2)).toEqual(['ac', 'b']);
  });

  it('are run for every kind in the long run', () => {
    expect(declared(3, ['a', 'b'], true)).toEqual(['ab', 'ab', 'ab']);
  });
});
