import { log } from '../logging/log.js';

/** Work that a node repeats until it stops. */
export interface Repeated {
  /** Runs the work now; while it runs already, once more after that. */
  runNow(): void;
  /** Ends the repetition; resolves when the current run has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` again and again, `everyMs` after the end of the previous run; a number that the work returns replaces
 * `everyMs` once. Runs of one repetition never overlap. A failure is logged as `failure`, and the work is repeated. The
 * timer does not keep the process alive.
 */
export function repeat(
  everyMs: number | (() => number),
  failure: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: most works return nothing.
  work: () => Promise<number | void>,
): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  let isStopped = false;

  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(now, ms).unref();
  };
  const run = async () => {
    let ms: number | undefined;
    do {
      isAskedAgain = false;
      ms = (await work().catch((err: unknown) => log.warn({ err }, failure))) ?? undefined;
    } while (isAskedAgain && !isStopped);
    running = undefined;
    if (!isStopped) later(ms ?? usual());
  };
  const usual = () => (typeof everyMs === 'number' ? everyMs : everyMs());
  function now(): void {
    if (isStopped) return;
    clearTimeout(timer);
    if (running) isAskedAgain = true;
    else running = run();
  }

  later(usual());
  return {
    runNow: now,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
