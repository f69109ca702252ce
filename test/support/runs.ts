/** How often a property is tried: `npm run test:long` (`LONG=1`) takes its time. */
export function runs(usual: number, long: number): { numRuns: number } {
  return { numRuns: process.env.LONG === '1' ? long : usual };
}
