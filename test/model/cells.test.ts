import { isLong } from '../support/runs.js';
import { letters } from './decision/world.js';
import { axes, cellOf, cells, interactions } from './run/cells.js';
import { compareInThreads, printed } from './run/threads.js';

/** Primes that divide the length of no axis, so that each value of each axis comes with each other one. */
const step = isLong ? 11 : 149;

it('Gateway and model show and change the same in each cell of the table for representatives', async () => {
  const report = await compareInThreads({ from: 0, cases: Math.ceil(cells / step), step, of: 'cells' });
  expect(report.differences.map(printed)).toEqual([]);
  expect(report.cases).toBe(Math.ceil(cells / step));
  for (const verdict of ['acting', 'kept-private', 'hidden', 'protected', 'shown', 'sent', 'parts']) {
    expect([verdict, (report.verdicts[verdict] ?? 0) > 20]).toEqual([verdict, true]);
  }
});

it('The table has each interaction that the gateway knows, and more than a million cells', () => {
  expect([cells > 1_000_000, axes.some((length) => length % step === 0)]).toEqual([true, false]);
  const asked = Array.from({ length: Object.keys(interactions).length }, (_, index) => cellOf(index).asked);
  const all = asked.flatMap((one) => [one, ...(one.parts ?? [])]).map(({ interaction }) => interaction);
  expect(Object.keys(letters).filter((interaction) => !all.includes(interaction))).toEqual([]);
});
