import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { counted } from '../../contract/messages/counted.js';
import { Database } from '../database/database.js';
import { Notifications } from '../database/notifications.js';
import { log } from '../logging/log.js';
import { type Repeated, repeat } from '../process/repeat.js';
import { failureOf, type Job, type JobHandler, type JobKind, type JobOutcomes } from './job-kind.js';
import { type JobCount, JobTable } from './job-table.js';
import { jobsChannel } from './jobs.js';

/** Longest wait for attempts at a shutdown; a system that hangs must not delay it. */
const patienceAtStopMs = 6_000;

interface Registered {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  kind: JobKind<any>;
  // biome-ignore lint/suspicious/noExplicitAny: the payload of its kind.
  handler: JobHandler<any>;
  counts: { failures: number; givenUp: number };
  /** A time of `performance.now()`. */
  restsUntil: number;
  looking: Repeated | undefined;
}

/** Figures of a kind: attempts of this node, and waiting jobs of all nodes. */
export interface JobFigures extends Partial<JobCount> {
  kind: string;
  failures: number;
  givenUp: number;
}

/**
 * Does the jobs of the kinds that are registered, next to the other nodes.
 *
 * Lifecycle of a job: added by a use case, claimed for the time of a lease, attempted outside of any transaction, then
 * removed. A node that dies in between leaves it due at the end of the lease, so a job is done at least once. A failed
 * attempt is repeated with growing pauses until the job is too old. Each kind has its own loop, so that one that fails
 * or is slow does not delay another.
 */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly registered = new Map<string, Registered>();
  private readonly table: JobTable;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    notifications: Notifications,
  ) {
    this.table = new JobTable(database);
    notifications.on(jobsChannel, (name) => this.registered.get(name)?.looking?.runNow());
    notifications.onReconnect(() => {
      for (const { looking } of this.registered.values()) looking?.runNow();
    });
  }

  /** Only before the application has started. */
  register<Payload extends object>(kind: JobKind<Payload>, handler: JobHandler<Payload>): void {
    if (this.registered.has(kind.name)) throw new Error(`the jobs ${kind.name} have a handler already`);
    const counts = { failures: 0, givenUp: 0 };
    this.registered.set(kind.name, { kind, handler, counts, restsUntil: 0, looking: undefined });
  }

  onApplicationBootstrap(): void {
    for (const registered of this.registered.values()) {
      const { kind } = registered;
      const failure = `looking for due jobs (${kind.name}) failed; will retry`;
      registered.looking = repeat(kind.lookEveryMs, failure, () => this.attemptDue(registered));
      registered.looking.runNow();
    }
  }

  onModuleDestroy(): void {
    this.isStopped = true;
  }

  /** Waits for the attempts under way; what is not finished then is done by another node, or by this one later. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    const stops = [...this.registered.values()].map(({ looking }) => looking?.stop());
    await Promise.race([Promise.all(stops), sleep(patienceAtStopMs, undefined, { ref: false })]);
  }

  /** Extends the lease of an attempt that takes long; false if another node attempts the job by now. */
  renew<Payload extends object>(kind: JobKind<Payload>, job: Job<Payload>): Promise<boolean> {
    return this.table.renew(kind, job);
  }

  /** Figures of each kind; without those of all nodes if the database does not answer. */
  async figures(): Promise<JobFigures[]> {
    const waiting = await this.table.count().catch(() => undefined);
    const kinds = new Set([...this.registered.keys(), ...(waiting ?? []).map(({ kind }) => kind)]);
    return [...kinds].map((kind) => {
      const counts = this.registered.get(kind)?.counts ?? { failures: 0, givenUp: 0 };
      const none = waiting && { due: 0, oldestSeconds: 0 };
      return { kind, ...counts, ...none, ...waiting?.find((one) => one.kind === kind) };
    });
  }

  private async attemptDue(registered: Registered): Promise<void> {
    while (!this.isStopped && performance.now() >= registered.restsUntil) {
      const claimed = await this.table.claim(registered.kind);
      if (claimed.length === 0) return;
      await this.giveUp(
        registered,
        claimed.filter(({ isStale }) => isStale),
      );
      // Attempted also during a shutdown: claimed jobs would wait for the end of their lease.
      const jobs = claimed.filter(({ isStale }) => !isStale);
      if (jobs.length > 0) await this.settle(registered, jobs, await this.attempt(registered, jobs));
    }
  }

  private async attempt(registered: Registered, jobs: Job<object>[]): Promise<JobOutcomes> {
    const { kind, handler } = registered;
    try {
      const outcomes = await this.database.outsideTransaction(() => handler.attempt(jobs));
      if (outcomes.length === jobs.length) return outcomes;
      throw new Error(`${counted(outcomes.length, 'outcome')} of ${counted(jobs.length, 'job')}`);
    } catch (error) {
      registered.restsUntil = performance.now() + kind.firstPauseSeconds * 1000;
      return jobs.map(() => failureOf(error));
    }
  }

  private async settle(
    { kind, handler, counts }: Registered,
    jobs: Job<object>[],
    outcomes: JobOutcomes,
  ): Promise<void> {
    await this.finish(
      handler,
      jobs.filter((_, index) => outcomes[index] === undefined),
    );
    const failed = jobs.flatMap((job, index) => {
      const failure = outcomes[index];
      return failure === undefined ? [] : [{ job, failure }];
    });
    if (failed.length === 0) return;
    counts.failures += failed.length;
    const pauses = await this.table.postpone(kind, failed);
    for (const [reason, { job }] of new Map(failed.map((one) => [one.failure.reason, one]))) {
      const count = failed.filter(({ failure }) => failure.reason === reason).length;
      const { id, attempts } = job;
      log.warn({ kind: kind.name, job: id, attempts, pause: pauses.get(id), reason, count }, 'job failed; will retry');
    }
  }

  private async finish(handler: JobHandler<object>, done: Job<object>[]): Promise<void> {
    if (done.length === 0) return;
    if (!handler.whenDone) await this.table.remove(done);
    else await Promise.all(done.map((job) => this.finishOne(handler, job)));
  }

  private async finishOne(handler: JobHandler<object>, job: Job<object>): Promise<void> {
    try {
      await this.database.transaction(async () => {
        if ((await this.table.remove([job])).length > 0) await handler.whenDone?.(job);
      });
    } catch (err) {
      log.warn({ err, job: job.id }, 'removal of a finished job failed; the job will run again');
    }
  }

  private async giveUp({ kind, counts }: Registered, stale: Job<unknown>[]): Promise<void> {
    if (stale.length === 0) return;
    const removed = await this.table.remove(stale);
    counts.givenUp += removed.length;
    for (const { id, attempts } of stale) {
      log.error({ job: id, kind: kind.name, attempts }, 'job dropped: it did not succeed in time');
    }
  }
}
