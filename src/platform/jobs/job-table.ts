import type { Database } from '../database/database.js';
import type { Job, JobFailure, JobKind } from './job-kind.js';

export interface ClaimedJob<Payload> extends Job<Payload> {
  /** True if it is too old to be attempted. */
  readonly isStale: boolean;
}

export interface JobCount {
  kind: string;
  /** Jobs that wait for an attempt now. */
  due: number;
  /** Age of the oldest job, due or not. */
  oldestSeconds: number;
}

/** The pause after a number of attempts, in seconds. */
const pauseAfter = (attempts: string, first: string, longest: string) =>
  `least(${longest}::float8, ${first}::float8 * 2 ^ least(${attempts} - 1, 40))`;

/**
 * The statements on `job`. All times are the database's, so that the nodes' clocks do not matter.
 *
 * A claim is one conditional statement that also sets the next due time: the end of the lease or, for a job that has
 * been attempted often, of its pause, so that a job that ends the process is not attempted without pauses. The number
 * of attempts identifies a claim: the outcome of an attempt whose lease was lost to another node changes nothing,
 * except that a job that was done is removed.
 */
export class JobTable {
  constructor(private readonly database: Database) {}

  /**
   * The jobs to attempt now, the longest due first; other nodes do not get them during the lease. The more often the
   * first one has failed, the fewer others are claimed with it: one of them may be the cause.
   */
  async claim<Payload extends object>(kind: JobKind<Payload>): Promise<ClaimedJob<Payload>[]> {
    const { name, batchSize, leaseSeconds, firstPauseSeconds, longestPauseSeconds, giveUpAfterSeconds } = kind;
    const { rows } = await this.database.query<ClaimedJob<Payload> & { [column: string]: unknown }>(
      `WITH first_due AS (
         SELECT attempts FROM job WHERE kind = $1 AND due_at <= now() ORDER BY due_at, id LIMIT 1),
       due AS MATERIALIZED (
         SELECT id FROM job WHERE kind = $1 AND due_at <= now() ORDER BY due_at, id
          LIMIT (SELECT greatest(1, $4::int >> least(attempts, 30)) FROM first_due) FOR UPDATE SKIP LOCKED),
       claimed AS (
         UPDATE job SET attempts = attempts + 1,
           due_at = now() + make_interval(secs => greatest($5::float8, ${pauseAfter('(attempts + 1)', '$2', '$3')}))
          FROM due WHERE job.id = due.id
         RETURNING job.id, payload, attempts, created_at <= now() - make_interval(secs => $6::float8) AS stale)
       SELECT id, payload, attempts, coalesce(stale, false) AS "isStale" FROM claimed ORDER BY id`,
      [name, firstPauseSeconds, longestPauseSeconds, batchSize, leaseSeconds, giveUpAfterSeconds ?? null],
    );
    return rows;
  }

  /** Extends the lease of an attempt; false if another node has claimed the job. */
  async renew(kind: JobKind<object>, { id, attempts }: Job<unknown>): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE job SET due_at = now() + make_interval(secs => $1::float8) WHERE id = $2 AND attempts = $3',
      [kind.leaseSeconds, id, attempts],
    );
    return rowCount === 1;
  }

  /** Removes jobs; returns the ids of those that were still there. */
  async remove(jobs: Job<unknown>[]): Promise<string[]> {
    const ids = jobs.map(({ id }) => id);
    const { rows } = await this.database.query<{ id: string }>('DELETE FROM job WHERE id = ANY ($1) RETURNING id', [
      ids,
    ]);
    return rows.map(({ id }) => id);
  }

  /**
   * Makes failed jobs due again after their pauses, but no later than when they are to be dropped. Returns the pauses
   * in seconds, by id.
   */
  async postpone(
    kind: JobKind<object>,
    failed: { job: Job<unknown>; failure: JobFailure }[],
  ): Promise<Map<string, number>> {
    const { rows } = await this.database.query<{ id: string; pause: number }>(
      `UPDATE job SET due_at = least(now() + make_interval(secs => ${pauseAfter('job.attempts', '$1', 'longest')}),
           created_at + make_interval(secs => $2::float8))
         FROM unnest($3::bigint[], $4::int[], $5::float8[]) AS failed (id, attempts, longest)
        WHERE job.id = failed.id AND job.attempts = failed.attempts
       RETURNING job.id, extract(epoch FROM due_at - now())::float8 AS pause`,
      [
        kind.firstPauseSeconds,
        kind.giveUpAfterSeconds ?? null,
        failed.map(({ job }) => job.id),
        failed.map(({ job }) => job.attempts),
        failed.map(({ failure }) => failure.longestPauseSeconds ?? kind.longestPauseSeconds),
      ],
    );
    return new Map(rows.map(({ id, pause }) => [id, pause]));
  }

  /** Counts the jobs of each kind, also of kinds that no node of this version handles. */
  async count(): Promise<JobCount[]> {
    const { rows } = await this.database.query<JobCount & { [column: string]: unknown }>(
      `SELECT kind, count(*) FILTER (WHERE due_at <= now())::int AS due,
              extract(epoch FROM now() - min(created_at))::float8 AS "oldestSeconds"
         FROM job GROUP BY kind ORDER BY kind`,
    );
    return rows;
  }
}
