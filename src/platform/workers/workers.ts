import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { PostgresConnection } from '../database/connection.js';
import { log } from '../logging/log.js';
import type { FromWorker, ToWorker } from './messages.js';
import { Reports } from './reports.js';

/** Pause before a worker that ended is replaced; it doubles with each one that did not live for a minute. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const shortLifeMs = 60_000;
/** glibc's own default, which it raises with what a start allocates unless it is set (decision 0053). */
const trimThreshold = '131072';

export interface WorkersOptions {
  /** The file that a worker runs. */
  main: string;
  count: number;
  config: Config;
  connection: PostgresConnection;
}

/**
 * A worker failed before the portal was ready; the explanation is missing if the worker has logged the error itself.
 */
export class WorkerFailed extends Error {
  constructor(readonly explanation: string | undefined) {
    super(explanation ?? 'a worker could not start');
  }
}

/**
 * The worker processes of `server.workers`, seen from the primary process, which accepts connections for them and does
 * no other work. Each worker is a node. One that ends is replaced.
 */
export class Workers {
  private readonly stopping = new AbortController();
  private readonly reports = new Reports();
  private readonly kept: Promise<void>[] = [];
  private hasFailedToStop = false;

  constructor(private readonly options: WorkersOptions) {
    cluster.setupPrimary({ exec: options.main, args: [], serialization: 'advanced' });
  }

  /**
   * Resolves with the greeting when all workers serve; rejects with the first failure. The first worker starts alone:
   * it migrates the database, and finds what prevents a start.
   */
  async start(): Promise<string> {
    const greeting = await this.add();
    await Promise.all(Array.from({ length: this.options.count - 1 }, () => this.add()));
    return greeting;
  }

  /** Lets all workers finish their requests; false if one of them failed to. */
  async stop(): Promise<boolean> {
    this.stopping.abort();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    await Promise.all(this.kept);
    return !this.hasFailedToStop;
  }

  /** Starts a worker that is replaced from then on; resolves with its greeting. */
  private add(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.kept.push(this.keep({ ready: resolve, failed: reject }));
    });
  }

  private async keep(first: { ready(greeting: string): void; failed(error: unknown): void }): Promise<void> {
    let pauseMs = firstPauseMs;
    let hasServed = false;
    while (!this.stopping.signal.aborted) {
      const started = performance.now();
      const { worker, ready } = this.fork();
      ready.then(
        (greeting) => {
          hasServed = true;
          first.ready(greeting);
        },
        () => undefined,
      );
      const [code, signal] = (await once(worker, 'exit')) as [number | null, NodeJS.Signals | null];
      if (this.stopping.signal.aborted) {
        if (code !== 0 && signal !== 'SIGTERM') this.hasFailedToStop = true;
        return;
      }
      const failure = await ready.then(
        () => undefined,
        (error: WorkerFailed) => error,
      );
      if (!hasServed) {
        first.failed(failure);
        return;
      }
      if (performance.now() - started > shortLifeMs) pauseMs = firstPauseMs;
      const facts = { worker: worker.process.pid, exitCode: code, signal, reason: failure?.explanation?.trim() };
      log.error(facts, `worker ended; starting another in ${pauseMs / 1000} s`);
      await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  /** A worker process; `ready` resolves with its greeting, and rejects if it ends before. */
  private fork(): { worker: Worker; ready: Promise<string> } {
    const { config, connection } = this.options;
    const worker = cluster.fork({ MALLOC_TRIM_THRESHOLD_: process.env.MALLOC_TRIM_THRESHOLD_ ?? trimThreshold });
    const ready = new Promise<string>((resolve, reject) => {
      let explanation: string | undefined;
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') worker.send({ kind: 'start', config, connection } satisfies ToWorker);
        if (message.kind === 'failed') explanation = message.explanation;
        if (message.kind !== 'ready') return;
        this.reports.addWorker(worker);
        resolve(message.greeting);
      });
      worker.once('exit', () => reject(new WorkerFailed(explanation)));
    });
    // A worker that was killed meanwhile has no channel; its end is handled.
    worker.on('error', () => undefined);
    ready.catch(() => undefined);
    return { worker, ready };
  }
}
