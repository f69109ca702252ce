import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';

/** An app that is to be told that somebody's session has ended. */
export interface DueLogout {
  id: string;
  clientId: string;
  accountId: string;
  /** The session as the app knows it, by the `sid` of its id_token. */
  sid: string;
  /** This attempt included. */
  attempts: number;
}

/** Heard by all nodes when there is somebody to tell. */
export const logoutsDue = 'gatehouse_logouts';
/** An attempt that is not heard of again, because its node died, is made again after this. */
const leaseSeconds = 30;
const firstPauseSeconds = 10;
const longestPauseSeconds = 3_600;
const giveUpAfterHours = 24;

/**
 * Which apps are still to be told about ended sessions. An entry is written in the transaction that ends the session, so
 * that there is one exactly when it has ended; told it is by any node, at least once.
 */
@Injectable()
export class LogoutQueue {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** Before the sessions are removed. */
  async sessionsEnd(uids: string[]): Promise<void> {
    const { rowCount } = await this.database.query(
      `INSERT INTO backchannel_logout (client_id, account_id, sid)
       SELECT app.key, account_id, app.value ->> 'sid'
         FROM oidc_record, jsonb_each(payload -> 'authorizations') AS app
        WHERE model = 'Session' AND uid = ANY ($1) AND account_id IS NOT NULL AND app.value ->> 'sid' IS NOT NULL`,
      [uids],
    );
    if (rowCount) await this.notifications.send(logoutsDue);
  }

  /** What this node shall attempt now; no other node gets the same. */
  async take(limit: number): Promise<DueLogout[]> {
    const { rows } = await this.database.query<DueLogout & { [column: string]: unknown }>(
      `UPDATE backchannel_logout SET attempts = attempts + 1, due_at = now() + make_interval(secs => $2)
        WHERE id IN (SELECT id FROM backchannel_logout WHERE due_at <= now() ORDER BY due_at LIMIT $1
                        FOR UPDATE SKIP LOCKED)
       RETURNING id, client_id AS "clientId", account_id AS "accountId", sid, attempts`,
      [limit, leaseSeconds],
    );
    return rows;
  }

  async done({ id }: DueLogout): Promise<void> {
    await this.database.query('DELETE FROM backchannel_logout WHERE id = $1', [id]);
  }

  /** Puts it off, longer each time; false when it was given up, a day after the session ended. */
  async failed({ id, attempts }: DueLogout): Promise<boolean> {
    const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (attempts - 1));
    const { rowCount } = await this.database.query(
      `UPDATE backchannel_logout SET due_at = now() + make_interval(secs => $2)
        WHERE id = $1 AND created_at > now() - make_interval(hours => $3)`,
      [id, pause, giveUpAfterHours],
    );
    if (rowCount === 0) await this.database.query('DELETE FROM backchannel_logout WHERE id = $1', [id]);
    return rowCount !== 0;
  }
}
