import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Notifications } from '../database/notifications.js';
import type { Job, JobKind } from './job-kind.js';

/** Channel on which nodes learn of due jobs; the payload is the name of the kind. */
export const jobsChannel = 'gatehouse_jobs';

/**
 * Work that follows from a use case and is done after it, by any node ({@link JobRunner}). A job is written in the
 * transaction of its use case, so that it exists exactly when the use case has happened.
 */
@Injectable()
export class Jobs {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** Adds a job in the caller's transaction; by its `key` it can be withdrawn. It is due after the delay. */
  async add<Payload extends object>(
    kind: JobKind<Payload>,
    payload: Payload,
    { key, delaySeconds = 0 }: { key?: string; delaySeconds?: number } = {},
  ): Promise<void> {
    await this.database.query(
      'INSERT INTO job (kind, payload, key, due_at) VALUES ($1, $2, $3, now() + make_interval(secs => $4::float8))',
      [kind.name, payload, key, delaySeconds],
    );
    await this.announce(kind);
  }

  /**
   * Removes a job that became pointless; one that is being attempted may be done all the same, unless its attempt takes
   * it ({@link take}). Returns how far it was: waiting for its time, or due by then.
   */
  async withdraw(kind: JobKind<object>, key: string): Promise<'waiting' | 'due' | undefined> {
    const { rows } = await this.database.query<{ was: 'waiting' | 'due' }>(
      `DELETE FROM job WHERE kind = $1 AND key = $2
       RETURNING CASE WHEN attempts = 0 AND due_at > clock_timestamp() THEN 'waiting' ELSE 'due' END AS was`,
      [kind.name, key],
    );
    return rows[0]?.was;
  }

  /** Removes a job only if it waits for its time; otherwise false, and the job stays. */
  async withdrawWaiting(kind: JobKind<object>, key: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'DELETE FROM job WHERE kind = $1 AND key = $2 AND attempts = 0 AND due_at > clock_timestamp()',
      [kind.name, key],
    );
    return rowCount !== 0;
  }

  /** Removes a job in the transaction that does it; false if it was withdrawn or done. */
  async take({ id }: Job<object>): Promise<boolean> {
    const { rowCount } = await this.database.query('DELETE FROM job WHERE id = $1', [id]);
    return rowCount === 1;
  }

  /** True if the job with this key was added more than `seconds` ago and is not done yet. */
  async isDelayed(kind: JobKind<object>, key: string, seconds: number): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'SELECT FROM job WHERE kind = $1 AND key = $2 AND created_at < now() - make_interval(secs => $3)',
      [kind.name, key, seconds],
    );
    return (rowCount ?? 0) > 0;
  }

  /** Wakes all nodes on commit, for jobs that were added by a statement of the caller. */
  async announce(kind: JobKind<object>): Promise<void> {
    await this.notifications.send(jobsChannel, kind.name);
  }
}
