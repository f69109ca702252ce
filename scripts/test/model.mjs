/**
 * `npm run test:model [-- --cases <number>] [--seed <number>] [--threads <number>]`: compares the gateway with the
 * model of its decision (`test/model/decision`) for ten million generated cases, and for each cell of the table for
 * representatives (`test/model/run/cells.ts`), in as many threads as there are cores. `--seed` is the first of the
 * seeds, which are as many as the cases; without it they begin at the day. `--cells 0` leaves out the table. Prints
 * each difference as the seed that repeats it and the smallest case, and ends with code 1 if there is one.
 */
import { parseArgs } from 'node:util';
import '../typescript.mjs';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000000' },
    cells: { type: 'string' },
    seed: { type: 'string' },
    threads: { type: 'string' },
  },
});
const cases = Number(values.cases);
const day = Math.floor(Date.now() / 86_400_000);
/** Each day has seeds of its own, below the 2^31 that tell cases apart. */
const from = values.seed === undefined ? (day % 200) * 10_000_000 : Number(values.seed);
const { compareInThreads, printed } = await import('../../test/model/run/threads.ts');
const { cells } = await import('../../test/model/run/cells.ts');
const threads = values.threads === undefined ? {} : { threads: Number(values.threads) };

/** Prints what was compared. Returns the number of differences. */
async function compare(what, settings) {
  const started = performance.now();
  const { differences, cases: compared, verdicts } = await compareInThreads({ ...settings, ...threads });
  for (const difference of differences) console.log(printed(difference));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${compared} ${what} in ${seconds} s, ${differences.length} differences; verdicts:`);
  console.log(JSON.stringify(verdicts));
  return differences.length;
}

const wanted = Math.min(cells, Number(values.cells ?? cells));
const inCells = wanted > 0 ? await compare('cells', { of: 'cells', from: 0, cases: wanted }) : 0;
const inCases = await compare(`cases from seed ${from}`, { from, cases });
process.exitCode = inCells + inCases > 0 ? 1 : 0;
