/** `npm run test:long` sets it. */
export const isLong = process.env.LONG === '1';

/** The number of generated cases of a property. */
export function runs(usual: number, long: number): { numRuns: number } {
  return { numRuns: isLong ? long : usual };
}
