/** Compares the gateway with the model for a range of cases, in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Verdict } from '../decision/verdict.js';
import { type Case, caseOf } from '../generated/case.js';
import { cellOf } from './cells.js';
import { differenceIn, startGateways } from './compare.js';
import { smallest } from './shrink.js';

/** A case for which gateway and model differ. */
export interface Found {
  /** Or the number of the cell. */
  seed: number;
  /** The smallest one that was found from it. */
  smallest: Case;
  expected: unknown;
  found: unknown;
}

/** What one thread has done. */
export interface Report {
  cases: number;
  differences: Found[];
  /** The number of verdicts by rule, or by what was answered. */
  verdicts: Record<string, number>;
}

export interface Range {
  /** What the numbers are of: generated cases by their seed, or cells of the table for representatives. */
  of: 'seeds' | 'cells';
  from: number;
  /** From one number to the next. */
  step: number;
  cases: number;
  /** It stops after so many differences. */
  mostDifferences: number;
  shrinks: boolean;
}

/** What a thread tells while it runs: how far it is, or what it found. */
export type Told = { reached: number; cases: number } | { difference: Found };

const second = 1_000;

export async function run(
  { of, from, step, cases, mostDifferences, shrinks }: Range,
  tell: (told: Told) => void = () => {},
): Promise<Report> {
  // Refusals are errors, and where they were thrown is of no use here.
  Error.stackTraceLimit = 0;
  const gateways = await startGateways();
  const report: Report = { cases: 0, differences: [], verdicts: {} };
  const note = (verdict: Verdict) => {
    const name = nameOf(verdict);
    report.verdicts[name] = (report.verdicts[name] ?? 0) + 1;
  };
  let toldAt = Date.now();
  for (; report.cases < cases && report.differences.length < mostDifferences; report.cases += 1) {
    const seed = from + report.cases * step;
    if (report.cases % 256 === 0 && Date.now() - toldAt >= 60 * second) {
      tell({ reached: seed, cases: report.cases });
      toldAt = Date.now();
    }
    const one = of === 'cells' ? cellOf(seed) : caseOf(seed);
    if (!(await differenceIn(one, gateways, note))) continue;
    const small = !shrinks
      ? one
      : await smallest(one, async (smaller) => (await differenceIn(smaller, gateways)) !== undefined);
    const { expected, found } = (await differenceIn(small, gateways)) ?? { expected: undefined, found: undefined };
    const difference = { seed, smallest: small, expected, found };
    report.differences.push(difference);
    tell({ difference });
  }
  await Promise.all(Object.values(gateways).map((one) => one.close()));
  return report;
}

function nameOf(verdict: Verdict): string {
  if (typeof verdict === 'string') return verdict;
  if ('rule' in verdict) return verdict.rule;
  if ('parts' in verdict) return 'parts';
  return 'sent' in verdict ? 'sent' : 'shown';
}

if (parentPort) {
  const port = parentPort;
  run(workerData as Range, (told) => port.postMessage(told)).then((report) => port.postMessage({ report }));
}
