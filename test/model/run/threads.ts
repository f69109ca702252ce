import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { bundled, type Fault } from './bundle.js';
import type { Found, Range, Report, Told } from './worker.js';

interface Settings extends Partial<Pick<Range, 'of' | 'step'>> {
  /** The first seed. */
  from: number;
  cases: number;
  threads?: number;
  /** Each thread stops after so many differences. */
  mostDifferences?: number;
  /** Finds the smallest case of each difference. */
  shrinks?: boolean;
  /** Planted in a copy of the gateway. */
  fault?: Fault;
  /** Hears of each thread how far it is, each minute, and of each difference at once. */
  heard?: (told: Told, thread: number) => void;
}

/** Compares the gateway with the model for seeds, in threads. */
export async function compareInThreads({
  of = 'seeds',
  from,
  step = 1,
  cases,
  threads = availableParallelism(),
  mostDifferences = 3,
  shrinks = true,
  fault,
  heard = () => {},
}: Settings): Promise<Report> {
  const bundle = await bundled(fault);
  const each = Math.ceil(cases / threads);
  const reports = await Promise.all(
    Array.from({ length: threads }, (_, index) => {
      const done = index * each;
      const own = Math.min(each, Math.max(0, cases - done));
      const range = { of, from: from + done * step, step, cases: own, mostDifferences, shrinks };
      return inThread(bundle.url, range, (told) => heard(told, index));
    }),
  ).finally(() => bundle.remove());
  const verdicts: Report['verdicts'] = {};
  for (const report of reports) {
    for (const [name, count] of Object.entries(report.verdicts)) verdicts[name] = (verdicts[name] ?? 0) + count;
  }
  return {
    cases: reports.reduce((sum, report) => sum + report.cases, 0),
    differences: reports.flatMap(({ differences }) => differences),
    verdicts,
  };
}

function inThread(url: string, workerData: Range, heard: (told: Told) => void): Promise<Report> {
  const worker = new Worker(new URL(url), { workerData });
  return new Promise<Report>((resolve, reject) => {
    worker.on('message', (message: Told | { report: Report }) =>
      'report' in message ? resolve(message.report) : heard(message),
    );
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a thread ended without a report')));
  }).finally(() => worker.terminate());
}

/** A difference as text: the seed that repeats it, and the smallest case. */
export function printed({ seed, smallest, expected, found }: Found): string {
  return [
    `seed ${seed}: the gateway decides otherwise than the model`,
    `  case:     ${JSON.stringify(smallest)}`,
    `  model:    ${JSON.stringify(expected)}`,
    `  gateway:  ${JSON.stringify(found)}`,
  ].join('\n');
}
