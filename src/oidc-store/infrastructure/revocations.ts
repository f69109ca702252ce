import { Injectable } from '@nestjs/common';
import type { EndCode } from '../../contract/activity/end-causes.js';
import { Config } from '../../platform/config/config.js';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { type Deleted, deleteRecords, type EndedAccess } from './ended-access.js';
import { LogoutQueue } from './logout-queue.js';
import { PausedApps } from './paused-apps.js';
import { deleteToken, lockGrant } from './record-statements.js';
import {
  clientsRevoked,
  type GrantUse,
  grantsEnded,
  sessionsEnded,
  type TokenReferences,
  TokenValidity,
  tokensRevoked,
} from './token-validity.js';

/** Models of what is issued with a grant, or to a service. */
export const tokenModels = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials'] as const;
type TokenModel = (typeof tokenModels)[number];

/** Number of grants from which on the nodes drop their whole cache instead of single ids. */
const namedAtOnce = 50;

/**
 * Ends authorizations. Every method is one or a few statements in the caller's transaction, so that everything ends at
 * once: the grant, its codes and tokens, and the responses kept for a lost refresh. All nodes are told.
 */
@Injectable()
export class Revocations {
  private readonly validity: TokenValidity;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly logouts: LogoutQueue,
    private readonly paused: PausedApps,
    private readonly config: Config,
  ) {
    this.validity = new TokenValidity(database, notifications);
  }

  async revokeGrant(grantId: string, by: EndCode): Promise<void> {
    await this.revokeWhere('grant_id = $1', [grantId], by);
  }

  /**
   * As {@link revokeApp}, for the patient of one relationship (`of`), or for the user's own record (null). Pending
   * requests end whichever record they are about: one of them may have been answered.
   */
  async revokeAppFor(
    app: { accountId: string; clientId: string; of: string | null },
    by: EndCode,
  ): Promise<{ any: boolean; ended: EndedAccess | undefined }> {
    const { accountId, clientId, of } = app;
    const represented = `SELECT grant_id FROM oidc_record WHERE model = 'Grant' AND account_id = $1
                           AND payload -> 'representation' ->> 'id' ${of === null ? 'IS NOT NULL' : '= $3'}`;
    const condition = `account_id = $1 AND client_id = $2 AND (grant_id IN (${represented})) IS ${of === null ? 'NOT TRUE' : 'TRUE'}`;
    const parameters = [accountId, clientId, ...(of === null ? [] : [of])];
    await this.endRequests(app, condition, parameters);
    await this.paused.resume({ accountId, clientId, representation: of });
    const { any, ended } = await this.revokeWhere(condition, parameters, by);
    return { any, ended: ended[0] };
  }

  /**
   * Revokes all grants and pending requests of one user for one client. `any` is true if there was a grant or a record
   * of one, `ended` the live access.
   */
  async revokeApp(
    accountId: string,
    clientId: string,
    by: EndCode,
  ): Promise<{ any: boolean; ended: EndedAccess | undefined }> {
    const [condition, parameters] = ['account_id = $1 AND client_id = $2', [accountId, clientId]];
    await this.endRequests({ accountId, clientId }, condition, parameters);
    await this.paused.resumeAll(accountId, clientId);
    // A concurrent response of the consent page has stored its grant by now.
    const { any, ended } = await this.revokeWhere(condition, parameters, by);
    return { any, ended: ended[0] };
  }

  /** Ends the pending requests of one user for one client, once the grants of this condition are locked. */
  private async endRequests(
    { accountId, clientId }: { accountId: string; clientId: string },
    condition: string,
    parameters: string[],
  ): Promise<void> {
    await this.lockGrants(condition, parameters);
    await this.database.query(
      `DELETE FROM oidc_record WHERE model = 'Interaction'
         AND payload -> 'session' ->> 'accountId' = $1 AND payload -> 'params' ->> 'client_id' = $2`,
      [accountId, clientId],
    );
  }

  /** Revokes the grants by which an account acts for a patient. Returns the access that ended, by app. */
  async revokeRepresentation(
    accountId: string,
    relationship: string,
  ): Promise<{ clientId: string; ended: EndedAccess }[]> {
    const grants = `SELECT grant_id FROM oidc_record WHERE model = 'Grant' AND account_id = $1
                      AND payload -> 'representation' ->> 'id' = $2`;
    const { rows } = await this.database.query<{ clientId: string }>(
      `SELECT DISTINCT client_id AS "clientId" FROM oidc_record WHERE model = 'Grant' AND grant_id IN (${grants}) ORDER BY 1`,
      [accountId, relationship],
    );
    const all: { clientId: string; ended: EndedAccess }[] = [];
    for (const { clientId } of rows) {
      const condition = `account_id = $1 AND grant_id IN (${grants}) AND client_id = $3`;
      const parameters = [accountId, relationship, clientId];
      const { ended } = await this.revokeWhere(condition, parameters, 'ended-with-representation');
      all.push(...ended.map((one) => ({ clientId, ended: one })));
    }
    return all;
  }

  /**
   * Revokes everything of a client that is disabled or deleted, including tokens that are not stored. Returns the
   * access of each user that ended.
   */
  async revokeClient(clientId: string, by: EndCode): Promise<EndedAccess[]> {
    const { ended } = await this.revokeWhere('client_id = $1', [clientId], by);
    await this.database.query(
      `INSERT INTO client_revocation (client_id, revoked_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (client_id) DO UPDATE SET revoked_at = excluded.revoked_at`,
      [clientId],
    );
    await this.keepEnd('Client', { idHash: sha256(clientId), clientId, by });
    await this.notifications.send(clientsRevoked, clientId);
    return ended;
  }

  /** Revokes sessions, grants and tokens of an account. */
  async revokeAccount(accountId: string, by: EndCode): Promise<void> {
    await this.endSessions(accountId, undefined, by);
    await this.revokeWhere('account_id = $1', [accountId], by);
  }

  /** Ends a session and the grants that last no longer than it. */
  async endSession(uid: string, by: EndCode): Promise<void> {
    await this.endSessionsWhere('uid = $1', [uid], by);
  }

  /**
   * As {@link endSession}, if it is a session of this account; returns false if it has ended, or is of another account.
   */
  async endSessionOf(accountId: string, uid: string, by: EndCode): Promise<boolean> {
    return (await this.endSessionsWhere('account_id = $1 AND uid = $2', [accountId, uid], by)) > 0;
  }

  /**
   * Ends the sessions of an account except the one with this uid, and the grants that last no longer than they. Returns
   * their number.
   */
  endSessions(accountId: string, exceptUid: string | undefined, by: EndCode): Promise<number> {
    return this.endSessionsWhere('account_id = $1 AND uid IS DISTINCT FROM $2', [accountId, exceptUid], by);
  }

  /**
   * Calls back, on each node, when sessions of an account have ended before their time; only before the application has
   * started.
   */
  onSessionsEnded(handler: (accountId: string) => void): void {
    this.notifications.on(sessionsEnded, handler);
  }

  /** Ends the grants that last no longer than these sessions. */
  async endOnlineGrants(uids: string[], by: EndCode): Promise<void> {
    // Grants of the previous version are referenced only by the session, which keeps only the last one of each client.
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT grant_id AS id FROM oidc_record WHERE model = 'Grant' AND uid = ANY ($1)
       UNION
       SELECT app.value ->> 'grantId' FROM oidc_record, jsonb_each(payload -> 'authorizations') AS app
        WHERE model = 'Session' AND uid = ANY ($1) AND app.value ->> 'grantId' IS NOT NULL
          AND app.value ->> 'persistsLogout' IS DISTINCT FROM 'true'
       ORDER BY id`,
      [uids],
    );
    for (const { id } of rows) await this.revokeGrant(id, by);
  }

  /** Removes one code or token that is stored, at the latest with the commit; the engine then ends its grant. */
  async endToken(model: TokenModel, id: string, by: EndCode): Promise<void> {
    const parameters = [model, sha256(id)];
    if (model !== 'ClientCredentials') await this.database.write(lockGrant, parameters);
    await this.database.write(deleteToken, [...parameters, by, this.config.activity.keepDays]);
  }

  /** Revokes a single self-contained token, until it would have expired anyway. */
  async revokeToken(tokenId: string, expiresAt: number, by: EndCode): Promise<void> {
    const id = sha256(tokenId);
    await this.database.query(
      `INSERT INTO revoked_token (id_hash, expires_at) VALUES ($1, to_timestamp($2) + interval '10 minutes')
       ON CONFLICT DO NOTHING`,
      [id, expiresAt],
    );
    await this.keepEnd('AccessToken', { idHash: id, by });
    await this.notifications.send(tokensRevoked, id);
  }

  /** {@link TokenValidity.isUnrevoked} */
  isUnrevoked(token: TokenReferences): boolean | Promise<boolean> {
    return this.validity.isUnrevoked(token);
  }

  /** {@link TokenValidity.useOf} */
  useOf(grantId: string): Promise<GrantUse> {
    return this.validity.useOf(grantId);
  }

  /** Makes all nodes read the grant again. */
  async grantChanged(grantId: string): Promise<void> {
    await this.notifications.send(grantsEnded, grantId);
  }

  /**
   * Locks the grants to revoke. A request that uses a record of a grant locks the grant first ({@link
   * ./oidc-records.js}), and so does a revocation, in one order. The statements that follow see all records that such a
   * request has stored: no record outlives its grant.
   */
  private async lockGrants(condition: string, parameters: string[]): Promise<void> {
    await this.database.query(
      `SELECT FROM oidc_record WHERE ${condition} AND model = 'Grant' ORDER BY grant_id FOR UPDATE`,
      parameters,
    );
  }

  private endSessionsWhere(condition: string, parameters: unknown[], by: EndCode): Promise<number> {
    return this.database.transaction(async () => {
      const select = `SELECT uid FROM oidc_record WHERE model = 'Session' AND ${condition} ORDER BY uid`;
      const known = await this.database.query<{ uid: string }>(select, parameters);
      // Grants before sessions, in the same order as the engine.
      await this.endOnlineGrants(
        known.rows.map(({ uid }) => uid),
        by,
      );
      // Locked, so that a client that is about to get its code either gets none, or is notified and loses it again.
      const { rows } = await this.database.query<{ uid: string; accountId: string | null }>(
        `${select.replace('uid', 'uid, account_id AS "accountId"')} FOR UPDATE`,
        parameters,
      );
      const uids = rows.map(({ uid }) => uid);
      await this.logouts.queueForEnding(uids);
      await this.endOnlineGrants(uids, by);
      await this.database.query("DELETE FROM oidc_record WHERE model = 'Session' AND uid = ANY ($1)", [uids]);
      const accounts = new Set(rows.map(({ accountId }) => accountId));
      for (const id of accounts) if (id !== null) await this.notifications.send(sessionsEnded, id);
      return uids.length;
    });
  }

  private async revokeWhere(condition: string, parameters: string[], by: EndCode): Promise<Deleted> {
    await this.lockGrants(condition, parameters);
    await this.database.query(
      `DELETE FROM refresh_answer WHERE grant_id IN (SELECT grant_id FROM oidc_record WHERE ${condition})`,
      parameters,
    );
    const { keepDays } = this.config.activity;
    const deleted = await deleteRecords(this.database, condition, parameters, { by, keepDays });
    const { grantIds } = deleted;
    for (const grantId of grantIds.length > namedAtOnce ? [''] : grantIds) {
      await this.notifications.send(grantsEnded, grantId);
    }
    return deleted;
  }

  /** The end of what has no record of its own: a self-contained token, or all of a client's. */
  private async keepEnd(
    model: 'AccessToken' | 'Client',
    { idHash, clientId, by }: { idHash: string; clientId?: string; by: EndCode },
  ): Promise<void> {
    const { keepDays } = this.config.activity;
    if (keepDays === 0) return;
    await this.database.query(
      `INSERT INTO ended_access (model, id_hash, client_id, cause, ended_at, expires_at)
       VALUES ($1, $2, $3, $4, clock_timestamp(), now() + make_interval(days => $5))
       ON CONFLICT (model, id_hash) DO UPDATE
          SET cause = excluded.cause, ended_at = excluded.ended_at, expires_at = excluded.expires_at`,
      [model, idHash, clientId ?? null, by, keepDays],
    );
  }
}
