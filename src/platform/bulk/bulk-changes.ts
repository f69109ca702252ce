import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { BulkProgress, BulkRefusal } from '../../contract/clients/bulk.js';
import { message } from '../../contract/messages/message.js';
import { type BulkFailure, mostInBulk } from '../../contract/rules/bulk.js';
import { Database } from '../database/database.js';
import { Problem } from '../errors.js';

/** A call that changes many: its id was made by the caller, so that a repeated call is the same one. */
export interface BulkCall {
  id: string;
  /** Id of the caller. */
  actor: string;
  /** The request; another call must not have the same id. */
  request: object;
}

/** The outcome for one of many. */
export type Applied =
  | { outcome: 'changed'; name: string; version?: number; before?: unknown }
  | { outcome: 'unchanged'; name: string }
  | { outcome: 'failed'; name: string | null; reason: BulkFailure };

/** The outcome of an undo for one that was changed. */
export type Undone = { outcome: 'restored'; hasLostAccess?: boolean } | { outcome: 'kept'; reason: BulkFailure };

/** One that was changed: its version since, and what is needed to undo it. */
export interface ChangedItem {
  target: string;
  version: number | null;
  before: unknown;
}

/** Each batch is a transaction. */
const batchLength = 20;
/** A call returns after about this time; the caller repeats it until all are done. */
const turnMs = 1500;

/**
 * Changes of many rows by one call, in batches: what becomes of each one is stored in the transaction that changes it. So
 * a call whose answer was lost, or whose node was killed, is repeated without doing anything twice, and an undo reverts
 * exactly what was changed.
 */
@Injectable()
export class BulkChanges {
  constructor(private readonly database: Database) {}

  /** Carries out as much as one turn allows. `targets` is asked by the first call only. */
  async carryOut(
    call: BulkCall,
    targets: () => Promise<string[]>,
    apply: (target: string) => Promise<Applied>,
  ): Promise<BulkProgress> {
    if (!isUUID(call.id, 'all')) throw new Problem('invalid', message('bulk-id-invalid'));
    await this.database.transaction(() => this.begin(call, targets));
    await inTurn(() => this.batch(call.id, 'IS NULL', (item) => apply(item.target)));
    return this.progress(call.id);
  }

  /** Reverts what was changed; what is left of the call is not done any more. */
  async undo(
    { id, actor }: Pick<BulkCall, 'id' | 'actor'>,
    restore: (item: ChangedItem, request: object) => Promise<Undone>,
  ): Promise<BulkProgress> {
    const { rows } = await this.database.query<{ request: object }>(
      'UPDATE bulk_change SET undone = true WHERE id::text = $1 AND actor = $2 RETURNING request',
      [id, actor],
    );
    const [call] = rows;
    if (!call) throw new Problem('not-found', message('bulk-gone'));
    await inTurn(() =>
      this.batch(id, "= 'changed'", async (item) => {
        const undone = await restore(item, call.request);
        const hasLostAccess = undone.outcome === 'restored' && undone.hasLostAccess;
        return { ...item, ...undone, ...(hasLostAccess && { outcome: 'restored-without-access' }) };
      }),
    );
    return this.progress(id);
  }

  private async begin({ id, actor, request }: BulkCall, targets: () => Promise<string[]>): Promise<void> {
    const stored = JSON.stringify(request);
    const { rowCount } = await this.database.query(
      'INSERT INTO bulk_change (id, actor, request) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
      [id, actor, stored],
    );
    if (rowCount === 0) {
      const same = await this.database.query(
        'SELECT FROM bulk_change WHERE id = $1 AND actor = $2 AND request = $3::jsonb',
        [id, actor, stored],
      );
      if (same.rowCount === 0) throw new Problem('conflict', message('bulk-id-used'));
      return;
    }
    const found = await targets();
    if (found.length > mostInBulk) throw new Problem('invalid', message('bulk-too-many', { maximum: mostInBulk }));
    await this.database.query(
      'INSERT INTO bulk_change_item (bulk_change, target) SELECT DISTINCT $1::uuid, unnest($2::uuid[])',
      [id, found],
    );
    await this.database.query("DELETE FROM bulk_change WHERE created_at < now() - interval '1 day'");
  }

  /** Returns false when nothing is left. Those of one call are locked in the order of their ids, one batch after another. */
  private batch(
    id: string,
    having: 'IS NULL' | "= 'changed'",
    work: (item: ChangedItem) => Promise<{ outcome: string }>,
  ): Promise<boolean> {
    return this.database.repeatableTransaction(async () => {
      const { rows: calls } = await this.database.query<{ undone: boolean }>(
        'SELECT undone FROM bulk_change WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (calls[0]?.undone !== (having !== 'IS NULL')) return false;
      const { rows } = await this.database.query<ChangedItem>(
        `SELECT target, version, before FROM bulk_change_item
          WHERE bulk_change = $1 AND outcome ${having} ORDER BY target LIMIT ${batchLength}`,
        [id],
      );
      const done: object[] = [];
      for (const item of rows) done.push({ target: item.target, ...(await work(item)) });
      await this.database.query(
        `UPDATE bulk_change_item AS item
            SET outcome = one.outcome, name = coalesce(one.name, item.name), reason = one.reason,
                version = one.version, before = one.before
           FROM jsonb_to_recordset($2::jsonb)
             AS one (target uuid, outcome text, name text, reason text, version int, before jsonb)
          WHERE item.bulk_change = $1 AND item.target = one.target`,
        [id, JSON.stringify(done)],
      );
      return rows.length === batchLength;
    });
  }

  private async progress(id: string): Promise<BulkProgress> {
    const { rows } = await this.database.query<Record<Exclude<keyof BulkProgress, 'failures'>, number>>(
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
    const [counts] = rows;
    if (!counts) throw new Problem('not-found', message('bulk-gone'));
    return { ...counts, failures };
  }
}

/** The rows that a call is about; `find` returns no more than one too many. */
export async function chosenIds<Filter>(
  choice: { ids?: string[]; except?: string[]; filter?: Filter; expected?: number },
  find: (filter: Filter, most: number) => Promise<string[]>,
): Promise<string[]> {
  const { ids = [], except = [], filter, expected } = choice;
  if (ids.length > 0 === (filter !== undefined && filter !== null)) {
    throw Problem.invalid([{ field: 'ids', messages: [message('bulk-choice')] }]);
  }
  if (!filter) return ids;
  const left = new Set(except.map((id) => id.toLowerCase()));
  const found = (await find(filter, mostInBulk + left.size + 1)).filter((id) => !left.has(id));
  if (found.length > mostInBulk) throw new Problem('invalid', message('bulk-too-many', { maximum: mostInBulk }));
  if (expected && expected !== found.length) throw new Problem('conflict', message('bulk-list-changed'));
  return found;
}

async function inTurn(work: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + turnMs;
  while ((await work()) && Date.now() < end);
}
