import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Notifications } from '../database/notifications.js';
import type { JobKind } from './job-kind.js';

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

  /** Adds a job in the caller's transaction; by its `key` it can be withdrawn. */
  async add<Payload extends object>(kind: JobKind<Payload>, payload: Payload, key?: string): Promise<void> {
    await this.database.query('INSERT INTO job (kind, payload, key) VALUES ($1, $2, $3)', [kind.name, payload, key]);
    await this.announce(kind);
  }

  /** Removes a job that became pointless; one that is being attempted may be done all the same. */
  async withdraw(kind: JobKind<object>, key: string): Promise<void> {
    await this.database.query('DELETE FROM job WHERE kind = $1 AND key = $2', [kind.name, key]);
  }

  /** Wakes all nodes on commit, for jobs that were added by a statement of the caller. */
  async announce(kind: JobKind<object>): Promise<void> {
    await this.notifications.send(jobsChannel, kind.name);
  }
}
