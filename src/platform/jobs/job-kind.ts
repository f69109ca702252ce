/**
 * A kind of job: its name in the table and how it is tried. `Payload` is what a job of this kind says, as JSON; secrets
 * in it must be sealed.
 */
export interface JobKind<Payload extends object> {
  readonly name: string;
  /** Most jobs that a node claims at once. After failures they are claimed in smaller batches, at last one by one. */
  readonly batchSize: number;
  /** Longer than one attempt can take: another node then repeats the attempt of a node that died. */
  readonly leaseSeconds: number;
  /** Interval at which a node looks for due jobs, notified or not. */
  readonly lookEveryMs: number;
  /** Pause after the first failure, doubled with each further one up to the longest. */
  readonly firstPauseSeconds: number;
  readonly longestPauseSeconds: number;
  /** Age at which a job is dropped; undefined: it is tried for ever. */
  readonly giveUpAfterSeconds?: number;
  /** Never set: binds the type of the payload to the kind. */
  readonly payload?: Payload;
}

export interface Job<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Number of attempts, this one included. */
  readonly attempts: number;
}

/** The failure of an attempt. */
export interface JobFailure {
  /** For the log, so without personal data. */
  reason: string;
  /** Instead of the kind's, for this kind of failure. */
  longestPauseSeconds?: number;
}

/** The outcome of each job of a batch, in their order: undefined when it was done. */
export type JobOutcomes = (JobFailure | undefined)[];

export interface JobHandler<Payload> {
  /**
   * Attempts a batch, outside of any transaction, within the lease. A throw fails the whole batch and makes this node
   * rest from this kind for its first pause: for a system that cannot be reached at all.
   */
  attempt(jobs: Job<Payload>[]): Promise<JobOutcomes>;
  /** Runs in the transaction that deletes the done job, at most once for each job. */
  whenDone?(job: Job<Payload>): Promise<void>;
}

/** Attempts the jobs of a batch at the same time, each on its own; a throw fails only its own job. */
export function oneByOne<Payload>(
  attempt: (job: Job<Payload>) => Promise<JobFailure | undefined>,
): JobHandler<Payload>['attempt'] {
  return (jobs) => Promise.all(jobs.map((job) => attempt(job).catch(failureOf)));
}

export function failureOf(error: unknown): JobFailure {
  return { reason: error instanceof Error ? error.message : 'unknown' };
}
