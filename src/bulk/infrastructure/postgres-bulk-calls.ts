import { Injectable } from '@nestjs/common';
import type { BulkProgress, BulkRefusal, PendingBulkChange } from '../../contract/clients/bulk.js';
import { Database } from '../../platform/database/database.js';
import { type BulkCall, BulkCalls, type CallUnderWay, type ChangedItem } from '../domain/bulk-call.js';

@Injectable()
export class PostgresBulkCalls extends BulkCalls {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ id, actor, isService, subject, request }: BulkCall): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `INSERT INTO bulk_change (id, actor, request, subject, is_service) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO NOTHING`,
      [id, actor, JSON.stringify(request), subject, isService],
    );
    return rowCount !== 0;
  }

  async isSame({ id, actor, request }: BulkCall): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'SELECT FROM bulk_change WHERE id = $1 AND actor = $2 AND request = $3::jsonb',
      [id, actor, JSON.stringify(request)],
    );
    return rowCount !== 0;
  }

  async addTargets(id: string, targets: readonly string[]): Promise<void> {
    await this.database.query(
      'INSERT INTO bulk_change_item (bulk_change, target) SELECT DISTINCT $1::uuid, unnest($2::uuid[])',
      [id, targets],
    );
  }

  async removeOld(): Promise<void> {
    await this.database.query("DELETE FROM bulk_change WHERE created_at < now() - interval '1 day'");
  }

  async isOf(id: string, actor: string): Promise<boolean> {
    const own = await this.database.query('SELECT FROM bulk_change WHERE id::text = $1 AND actor = $2', [id, actor]);
    return own.rowCount !== 0;
  }

  async cancel(id: string, actor: string): Promise<void> {
    await this.database.query(
      `UPDATE bulk_change SET stopped = 'canceled' WHERE id::text = $1 AND actor = $2 AND stopped IS NULL AND NOT undone
          AND EXISTS (SELECT FROM bulk_change_item WHERE bulk_change = bulk_change.id AND outcome IS NULL)`,
      [id, actor],
    );
  }

  async forbid(id: string): Promise<void> {
    await this.database.query("UPDATE bulk_change SET stopped = 'forbidden' WHERE id = $1", [id]);
  }

  async markUndone(id: string, actor: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE bulk_change SET undone = true, stopped = NULL, seen_at = NULL WHERE id::text = $1 AND actor = $2 AND NOT undone',
      [id, actor],
    );
    return rowCount !== 0;
  }

  async markSeen(id: string): Promise<void> {
    await this.database.query('UPDATE bulk_change SET seen_at = now() WHERE id::text = $1', [id]);
  }

  async underWayForChange(id: string): Promise<CallUnderWay | undefined> {
    const { rows } = await this.database.query<CallUnderWay & { stopped: string | null; [column: string]: unknown }>(
      `SELECT actor, is_service AS "isService", subject, request, undone, stopped FROM bulk_change WHERE id = $1 FOR UPDATE`,
      [id],
    );
    const [call] = rows;
    return call?.stopped === null ? call : undefined;
  }

  async nextItems(id: string, undone: boolean, limit: number): Promise<ChangedItem[]> {
    const { rows } = await this.database.query<ChangedItem & { [column: string]: unknown }>(
      `SELECT target, version, before FROM bulk_change_item
        WHERE bulk_change = $1 AND outcome ${undone ? "= 'changed'" : 'IS NULL'} ORDER BY target LIMIT ${limit}`,
      [id],
    );
    return rows;
  }

  async settle(id: string, outcomes: readonly object[]): Promise<void> {
    await this.database.query(
      `UPDATE bulk_change_item AS item
          SET outcome = one.outcome, name = coalesce(one.name, item.name), reason = one.reason,
              version = one.version, before = one.before
         FROM jsonb_to_recordset($2::jsonb)
           AS one (target uuid, outcome text, name text, reason text, version int, before jsonb)
        WHERE item.bulk_change = $1 AND item.target = one.target`,
      [id, JSON.stringify(outcomes)],
    );
  }

  async pendingOf(actor: string): Promise<Omit<PendingBulkChange, 'progress'>[]> {
    const { rows } = await this.database.query<Omit<PendingBulkChange, 'progress'>>(
      `SELECT id, subject, request ->> 'action' AS action, undone FROM bulk_change
        WHERE actor = $1 AND seen_at IS NULL AND subject IS NOT NULL ORDER BY created_at LIMIT 20`,
      [actor],
    );
    return rows;
  }

  async progressOf(id: string): Promise<BulkProgress | undefined> {
    const { rows } = await this.database.query<Record<Exclude<keyof BulkProgress, 'failures' | 'stopped'>, number>>(
      `SELECT count(*)::int AS total,
              count(*) FILTER (WHERE undone OR outcome IS NOT NULL)::int AS done,
              count(*) FILTER (WHERE outcome = 'changed')::int AS changed,
              count(*) FILTER (WHERE outcome = 'unchanged')::int AS unchanged,
              count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
              count(*) FILTER (WHERE outcome IN ('restored', 'restored-without-access'))::int AS restored,
              count(*) FILTER (WHERE outcome = 'kept')::int AS kept,
              count(*) FILTER (WHERE outcome = 'restored-without-access')::int AS "withoutAccess"
         FROM bulk_change_item JOIN bulk_change ON bulk_change.id = bulk_change WHERE bulk_change = $1`,
      [id],
    );
    const { rows: failures } = await this.database.query<BulkRefusal>(
      `SELECT target AS id, name, reason FROM bulk_change_item
        WHERE bulk_change = $1 AND outcome IN ('failed', 'kept') ORDER BY name, target LIMIT 100`,
      [id],
    );
    const stopped = await this.database.query<{ stopped: BulkProgress['stopped'] }>(
      'SELECT stopped FROM bulk_change WHERE id = $1',
      [id],
    );
    const [counts] = rows;
    return counts && { ...counts, failures, stopped: stopped.rows[0]?.stopped ?? null };
  }
}
