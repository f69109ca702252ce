import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { JobKind } from '../../platform/jobs/job-kind.js';
import { Jobs } from '../../platform/jobs/jobs.js';

/** A client that must be notified of the end of a session. */
export interface EndedSession {
  clientId: string;
  accountId: string;
  /** The session as the client knows it: the `sid` of its id_token. */
  sid: string;
}

export const logoutJobs: JobKind<EndedSession> = {
  name: 'backchannel-logout',
  batchSize: 20,
  leaseSeconds: 30,
  lookEveryMs: 15_000,
  firstPauseSeconds: 10,
  longestPauseSeconds: 3_600,
  giveUpAfterSeconds: 24 * 3_600,
};

/**
 * Adds a job for each client to notify of ended sessions, in the transaction that ends the session, so that it exists
 * exactly when the session has ended; any node notifies the client, at least once.
 */
@Injectable()
export class LogoutQueue {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Must be called before the sessions are removed. Those of administrators authorized clients in trials only, which no
   * client knows of.
   */
  async queueForEnding(uids: string[]): Promise<void> {
    const { rowCount } = await this.database.query(
      `INSERT INTO job (kind, payload)
       SELECT $2, jsonb_build_object('clientId', app.key, 'accountId', account_id, 'sid', app.value ->> 'sid')
         FROM oidc_record, jsonb_each(payload -> 'authorizations') AS app
        WHERE model = 'Session' AND uid = ANY ($1) AND account_id IS NOT NULL AND app.value ->> 'sid' IS NOT NULL
          AND payload ->> 'userType' IS DISTINCT FROM 'Admin'`,
      [uids, logoutJobs.name],
    );
    if (rowCount) await this.jobs.announce(logoutJobs);
  }
}
