/**
 * `npm run test:model [-- --cases <number>] [--seed <number>]`: compares the gateway with the model of its decision
 * (`test/model/decision`) for ten million generated cases, in as many threads as there are cores. `--seed` is the first
 * of the seeds, which are as many as the cases; without it they begin at the day. Prints each difference as the seed
 * that repeats it and the smallest case, and ends with code 1 if there is one.
 */
import { parseArgs } from 'node:util';
import '../typescript.mjs';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '10000000' }, seed: { type: 'string' } },
});
const cases = Number(values.cases);
const day = Math.floor(Date.now() / 86_400_000);
/** Each day has seeds of its own, below the 2^31 that tell cases apart. */
const from = values.seed === undefined ? (day % 200) * 10_000_000 : Number(values.seed);
const { compareInThreads, printed } = await import('../../test/model/run/threads.ts');

const started = performance.now();
const report = await compareInThreads({ from, cases });
for (const difference of report.differences) console.log(printed(difference));
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${report.cases} cases from seed ${from} in ${seconds} s, ${report.differences.length} differences; verdicts:`,
);
console.log(JSON.stringify(report.verdicts));
process.exitCode = report.differences.length > 0 ? 1 : 0;
