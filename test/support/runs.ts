/** `npm run test:long` takes its time. */
export const isLong = process.env.LONG === '1';

/** How often a property is tried. */
export function runs(usual: number, long: number): { numRuns: number } {
  return { numRuns: isLong ? long : usual };
}
