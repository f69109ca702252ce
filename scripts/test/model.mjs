/**
 * `npm run test:model [-- --cases <number>] [--seed <number>] [--threads <number>]`: compares the gateway with the
 * model of its decision (`test/model/decision`) for ten million generated cases, and for each cell of the table for
 * representatives (`test/model/run/cells.ts`), in as many threads as there are cores. `--seed` is the first of the
 * seeds, which are as many as the cases; without it they begin at the day. `--cells 0` leaves out the table,
 * `--first-cell` what is before one. Prints each difference as the seed that repeats it and the smallest case, each
 * minute how far it is, and ends with code 1 if there is a difference.
 */
import { parseArgs } from 'node:util';
import '../typescript.mjs';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000000' },
    cells: { type: 'string' },
    'first-cell': { type: 'string', default: '0' },
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
  const done = [];
  let before = 0;
  const heard = (told, thread) => {
    if ('difference' in told) return console.log(printed(told.difference));
    done[thread] = told.cases;
    const sum = done.reduce((a, b) => a + (b ?? 0), 0);
    const time = new Date().toISOString().slice(0, 19);
    console.log(`${time} ${sum} ${what} (${sum - before} more), thread ${thread} before ${told.reached}`);
    before = sum;
  };
  const { differences, cases: compared, verdicts } = await compareInThreads({ ...settings, ...threads, heard });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${compared} ${what} in ${seconds} s, ${differences.length} differences; verdicts:`);
  console.log(JSON.stringify(verdicts));
  return differences.length;
}

const firstCell = Number(values['first-cell']);
const wanted = Math.min(cells - firstCell, Number(values.cells ?? cells));
const inCells = wanted > 0 ? await compare('cells', { of: 'cells', from: firstCell, cases: wanted }) : 0;
const inCases = cases > 0 ? await compare(`cases from seed ${from}`, { from, cases }) : 0;
process.exitCode = inCells + inCases > 0 ? 1 : 0;
