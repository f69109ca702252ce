import { Injectable } from '@nestjs/common';
import { Cached } from '../../platform/database/cached.js';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';

const pausesChanged = 'gatehouse_pauses';

/**
 * Apps that users have paused: what they granted stays, and nothing of it can be used. Each node caches the answer and
 * drops it when any node changes it.
 */
@Injectable()
export class PausedApps {
  private readonly pauses: Cached<{ isPaused: boolean }>;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    this.pauses = new Cached(notifications, { channel: pausesChanged, load: (key) => this.load(key) });
  }

  /** Synchronous if the answer is cached. */
  isPaused(accountId: string | undefined, clientId: string | undefined): boolean | Promise<boolean> {
    if (accountId === undefined || clientId === undefined) return false;
    const key = keyOf(accountId, clientId);
    const known = this.pauses.atHand(key);
    return known ? known.isPaused : this.pauses.get(key).then((loaded) => loaded?.isPaused === true);
  }

  /** By client. */
  async ofAccount(accountId: string): Promise<Map<string, Date>> {
    const { rows } = await this.database.query<{ clientId: string; at: Date }>(
      'SELECT client_id AS "clientId", paused_at AS at FROM app_pause WHERE account_id = $1',
      [accountId],
    );
    return new Map(rows.map(({ clientId, at }) => [clientId, at]));
  }

  /** False if it was paused already. */
  async pause(accountId: string, clientId: string): Promise<boolean> {
    return this.change(
      `INSERT INTO app_pause (account_id, client_id) SELECT id, $2 FROM account WHERE id = $1 FOR KEY SHARE
       ON CONFLICT DO NOTHING`,
      accountId,
      clientId,
    );
  }

  /** False if it was not paused. */
  async resume(accountId: string, clientId: string): Promise<boolean> {
    return this.change('DELETE FROM app_pause WHERE account_id = $1 AND client_id = $2', accountId, clientId);
  }

  private async change(sql: string, accountId: string, clientId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(sql, [accountId, clientId]);
    if (rowCount === 1) await this.notifications.send(pausesChanged, keyOf(accountId, clientId));
    return rowCount === 1;
  }

  private async load(key: string): Promise<{ isPaused: boolean }> {
    const { rowCount } = await this.database.query(
      'SELECT FROM app_pause WHERE account_id = $1 AND client_id = $2',
      key.split(' ', 2),
    );
    return { isPaused: rowCount === 1 };
  }
}

/** Neither id has a blank. */
function keyOf(accountId: string, clientId: string): string {
  return `${accountId} ${clientId}`;
}
