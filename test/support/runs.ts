/** `npm run test:long` sets it. */
export const isLong = process.env.LONG === '1';

/** The number of generated cases of a property. */
export function runs(usual: number, long: number): { numRuns: number } {
  return { numRuns: isLong ? long : usual };
}

/**
 * The values of one dimension for the row with this number of a table. In the long run all of them; usually the one
 * whose turn it is, so that each row is tried, and each value if there are as many rows.
 */
export function inTurn<Value>(values: readonly Value[], number: number, { all = isLong } = {}): Value[] {
  return values.filter((_, index) => all || index === number % values.length);
}

/** Each second value, beginning with that of this number; in the long run all of them. */
export function eachSecond<Value>(values: readonly Value[], number: number, { all = isLong } = {}): Value[] {
  return values.filter((_, index) => all || index % 2 === number % 2);
}

type Declare = (title: string, test: () => unknown, timeout?: number) => void;

/**
 * `it` for the tests of the row with this number in `describe.each(rows)`. In the long run each test is run for each
 * row; usually for one of `turns` rows, and the next test for the others in turn. Each row has tests then if there are
 * `turns` tests.
 */
export function itInTurn(number: number, turns = 3, { all = isLong, declare = it as Declare } = {}): Declare {
  let turn = number;
  return (...test) => {
    if (all || turn % turns === 0) declare(...test);
    turn += 1;
  };
}

/**
 * `it` for what the usual run sees on the way of another test, or proves at a lower level, and for what a page does
 * next to its main way.
 */
export const itInLongRun = Object.assign(
  // The files of a worker share this module, and each has an `it` of its own.
  ((...test) => isLong && it(...(test as Parameters<typeof it>))) as Declare,
  { each: ((table: never[]) => (isLong ? it.each(table) : () => undefined)) as typeof it.each },
);
