import { Injectable } from '@nestjs/common';
import { type Message, message } from '../../contract/messages/message.js';
import { Database } from '../database/database.js';
import { Problem } from '../errors.js';

/** A kind of object, named like its column. */
export type ManagedKind = 'client' | 'tag' | 'account';

const refusals: Record<ManagedKind, Message> = {
  client: message('client-managed'),
  tag: message('tag-managed'),
  account: message('user-managed'),
};

/** The number is arbitrary, but every process must use the same one. */
const applyLock = 4_712_080;

/**
 * Marks of the objects that a file manages (`gatehouse apply`). Administrators cannot change these by hand until they are released. A
 * use case asks with its row locked: `apply` locks the row as well before it adds a mark.
 */
@Injectable()
export class ManagedObjects {
  constructor(private readonly database: Database) {}

  async isManaged(kind: ManagedKind, id: string): Promise<boolean> {
    return (await this.markOf(kind, id)) !== undefined;
  }

  async refuseManaged(kind: ManagedKind, id: string): Promise<void> {
    if (await this.isManaged(kind, id)) throw new Problem('conflict', refusals[kind]);
  }

  /** A client that was disabled by hand may be enabled again, unless its file disables it. */
  async refuseEnabling(clientId: string): Promise<void> {
    const mark = await this.markOf('client', clientId);
    if (mark && mark.enabled !== true) throw new Problem('conflict', refusals.client);
  }

  /** The marked objects of a kind, with what the file says about the availability of a client. */
  async list(kind: ManagedKind): Promise<Map<string, { enabled: boolean | null }>> {
    const { rows } = await this.database.query<{ id: string; enabled: boolean | null }>(
      `SELECT ${kind} AS id, enabled FROM managed_object WHERE ${kind} IS NOT NULL`,
    );
    return new Map(rows.map(({ id, enabled }) => [id, { enabled }]));
  }

  async mark(kind: ManagedKind, id: string, enabled: boolean | null = null): Promise<void> {
    await this.database.query(
      `INSERT INTO managed_object (${kind}, enabled) VALUES ($1, $2)
         ON CONFLICT (${kind}) DO UPDATE SET enabled = excluded.enabled, applied_at = now()`,
      [id, enabled],
    );
  }

  /** False if the object has no mark. */
  async release(kind: ManagedKind, id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(`DELETE FROM managed_object WHERE ${kind} = $1`, [id]);
    return rowCount === 1;
  }

  /** Returns the number of released objects. */
  async releaseAll(): Promise<number> {
    return (await this.database.query('DELETE FROM managed_object')).rowCount ?? 0;
  }

  /** Keeps other processes from applying a file until the transaction ends; false if one of them is doing so. */
  async lockForApply(): Promise<boolean> {
    const { rows } = await this.database.query<{ isLocked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS "isLocked"',
      [applyLock],
    );
    return rows[0]?.isLocked === true;
  }

  private async markOf(kind: ManagedKind, id: string): Promise<{ enabled: boolean | null } | undefined> {
    const { rows } = await this.database.query<{ enabled: boolean | null }>(
      `SELECT enabled FROM managed_object WHERE ${kind} = $1`,
      [id],
    );
    return rows[0];
  }
}
