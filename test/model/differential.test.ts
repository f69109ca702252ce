import { isLong } from '../support/runs.js';
import { rules } from './decision/rules.js';
import { compareInThreads, printed } from './run/threads.js';

/** Rules that say what is open: they show in what the others refuse and answer. */
const withoutVerdict = [
  ...['scope-text', 'scope-person', 'scope-category', 'own-user', 'record-types', 'directory', 'operation-of-record'],
  ...['asked-inside', 'whose', 'mixed', 'participants', 'included', 'count', 'update-creates', 'document'],
  ...['ages', 'above-ages', 'chosen-kinds', 'level', 'other-representatives', 'current-version'],
  // Shown by what is refused as in `hidden` and `understood`.
  ...['scope-letter', 'hidden'],
];

it('The gateway decides like the model on generated requests, tokens and data', async () => {
  const cases = isLong ? 1_000_000 : 100_000;
  const report = await compareInThreads({ from: 1, cases });
  expect(report.differences.map(printed)).toEqual([]);
  expect(report.cases).toBeGreaterThanOrEqual(cases);
  // Each rule that refuses has done so, and what is permitted was answered, changed and counted.
  const decisive = Object.keys(rules).filter((rule) => !withoutVerdict.includes(rule));
  for (const verdict of [...decisive, 'scope-letter', 'hidden', 'shown', 'sent', 'parts', 'done']) {
    expect([verdict, (report.verdicts[verdict] ?? 0) > 10]).toEqual([verdict, true]);
  }
});
