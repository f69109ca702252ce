import { Injectable } from '@nestjs/common';
import { Cached } from '../../platform/database/cached.js';
import { Database } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';

const pausesChanged = 'gatehouse_pauses';

/** The access that a user may have paused: of an app, to the user's own record or to that of one patient. */
export interface PausedAccess {
  accountId: string;
  clientId: string;
  /** Id of the relationship by which the user acts for the patient; null for the user's own record. */
  representation: string | null;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Apps that users have paused: what they granted stays, and nothing of it can be used. Each node caches the answer and
 * drops it when any node changes it.
 */
@Injectable()
export class PausedApps {
  /** The relationships for which the app is paused; null among them stands for the user's own record. */
  private readonly pauses: Cached<{ of: ReadonlySet<string | null> }>;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    this.pauses = new Cached(notifications, { channel: pausesChanged, load: (key) => this.load(key) });
  }

  /**
   * Synchronous if the answer is cached and no access of the app is paused. `representation` is called only if some is:
   * it gives the id of the relationship, undefined for the user's own record.
   */
  isPaused(
    accountId: string | undefined,
    clientId: string | undefined,
    representation: () => MaybePromise<string | undefined>,
  ): MaybePromise<boolean> {
    if (accountId === undefined || clientId === undefined) return false;
    const key = keyOf(accountId, clientId);
    const known = this.pauses.atHand(key);
    if (known?.of.size === 0) return false;
    return this.isAmong(known ?? this.pauses.get(key), representation);
  }

  async ofAccount(accountId: string): Promise<(Omit<PausedAccess, 'accountId'> & { at: Date })[]> {
    const { rows } = await this.database.query<{ clientId: string; representation: string | null; at: Date }>(
      `SELECT client_id AS "clientId", NULL AS representation, paused_at AS at FROM app_pause WHERE account_id = $1
       UNION ALL SELECT client_id, relationship_id::text, paused_at FROM represented_pause WHERE account_id = $1`,
      [accountId],
    );
    return rows;
  }

  /** False if it was paused already. */
  async pause(access: PausedAccess): Promise<boolean> {
    const [table, columns, values] = placeOf(access);
    return this.change(
      `INSERT INTO ${table} (account_id, client_id ${columns}) SELECT id, $2 ${values} FROM account WHERE id = $1
       FOR KEY SHARE ON CONFLICT DO NOTHING`,
      access,
    );
  }

  /** False if it was not paused. */
  async resume(access: PausedAccess): Promise<boolean> {
    const [table, , , condition] = placeOf(access);
    return this.change(`DELETE FROM ${table} WHERE account_id = $1 AND client_id = $2 ${condition}`, access);
  }

  /** Ends all pauses of the app. */
  async resumeAll(accountId: string, clientId: string): Promise<void> {
    await this.resume({ accountId, clientId, representation: null });
    const { rowCount } = await this.database.query(
      'DELETE FROM represented_pause WHERE account_id = $1 AND client_id = $2',
      [accountId, clientId],
    );
    if (rowCount !== 0) await this.notifications.send(pausesChanged, keyOf(accountId, clientId));
  }

  private async change(sql: string, { accountId, clientId, representation }: PausedAccess): Promise<boolean> {
    const more = representation === null ? [] : [representation];
    const { rowCount } = await this.database.query(sql, [accountId, clientId, ...more]);
    if (rowCount === 1) await this.notifications.send(pausesChanged, keyOf(accountId, clientId));
    return rowCount === 1;
  }

  private async isAmong(
    pauses: MaybePromise<{ of: ReadonlySet<string | null> } | undefined>,
    representation: () => MaybePromise<string | undefined>,
  ): Promise<boolean> {
    const { of } = (await pauses) ?? { of: new Set() };
    return of.size > 0 && of.has((await representation()) ?? null);
  }

  private async load(key: string): Promise<{ of: ReadonlySet<string | null> }> {
    const { rows } = await this.database.query<{ representation: string | null }>(
      `SELECT NULL AS representation FROM app_pause WHERE account_id = $1 AND client_id = $2
       UNION ALL SELECT relationship_id::text FROM represented_pause WHERE account_id = $1 AND client_id = $2`,
      key.split(' ', 2),
    );
    return { of: new Set(rows.map(({ representation }) => representation)) };
  }
}

/** The table of the access, with what it has besides account and app. */
function placeOf({
  representation,
}: PausedAccess): [table: string, columns: string, values: string, condition: string] {
  if (representation === null) return ['app_pause', '', '', ''];
  return ['represented_pause', ', relationship_id', ', $3::uuid', 'AND relationship_id = $3'];
}

/** Neither id has a blank. */
function keyOf(accountId: string, clientId: string): string {
  return `${accountId} ${clientId}`;
}
