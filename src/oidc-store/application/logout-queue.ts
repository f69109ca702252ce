import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';

/** A client that must be notified of the end of a session. */
export interface DueLogout {
  id: string;
  clientId: string;
  accountId: string;
  /** The session as the client knows it: the `sid` of its id_token. */
  sid: string;
  /** Number of attempts, this one included. */
  attempts: number;
}

/** Channel on which all nodes are notified of pending logouts. */
export const logoutsDue = 'gatehouse_logouts';
/** Lease of an attempt: another node repeats it after this time, because its node may have died. */
const leaseSeconds = 30;
const firstPauseSeconds = 10;
const longestPauseSeconds = 3_600;
const giveUpAfterHours = 24;

/**
 * Queue of clients to notify of ended sessions. An entry is written in the transaction that ends the session, so that
 * it exists exactly when the session has ended; any node delivers it, at least once.
 */
@Injectable()
export class LogoutQueue {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {}

  /** Must be called before the sessions are removed. */
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

  /** Entries for this node to attempt now; no other node gets the same. */
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

  /** Postpones the next attempt, longer each time; false when the entry was dropped, a day after the session ended. */
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
