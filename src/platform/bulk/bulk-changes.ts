import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { BulkProgress, BulkRefusal, BulkSubjectName, PendingBulkChange } from '../../contract/clients/bulk.js';
import { message } from '../../contract/messages/message.js';
import { type BulkFailure, mostInBulk } from '../../contract/rules/bulk.js';
import { Database } from '../database/database.js';
import { Problem } from '../errors.js';
import type { JobKind } from '../jobs/job-kind.js';
import { Jobs } from '../jobs/jobs.js';
import { requestContext } from '../request/scope.js';
import type { SignedInUser } from '../request/signed-in-user.js';

/** The call that began the change, as which a job goes on with it. */
export interface BulkWork {
  id: string;
  userId: string;
  issuer: string;
  address: string;
  correlationId: string;
  /** Tag of the language of mails. */
  language: string;
}

/** An attempt renews its lease while it works. */
export const bulkJobs: JobKind<BulkWork> = {
  name: 'bulk-changes',
  batchSize: 1,
  leaseSeconds: 30,
  lookEveryMs: 3_000,
  firstPauseSeconds: 2,
  longestPauseSeconds: 60,
};

/** Seconds in which the call itself may finish a short change. */
const jobDelaySeconds = 2;

/** How the rows of one kind are changed, and how that is undone. Both run in the transaction of the batch. */
export interface BulkSubject {
  apply(target: string, request: object, caller: SignedInUser): Promise<Applied>;
  restore(item: ChangedItem, request: object): Promise<Undone>;
}

type MayAct = (caller: SignedInUser) => Promise<boolean>;

/** A call that changes many: its id was made by the caller, so that a repeated call is the same one. */
export interface BulkCall {
  id: string;
  caller: SignedInUser;
  /** Name of a {@link BulkSubject}. */
  subject: BulkSubjectName;
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
  private readonly subjects = new Map<string, BulkSubject>();
  private readonly admissions = new Map<boolean, MayAct>();

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /** Before the application has started. */
  register(name: BulkSubjectName, subject: BulkSubject): void {
    this.subjects.set(name, subject);
  }

  /** Says for users, or for services with a management token, who may still change anything when a job goes on. */
  admit(services: boolean, mayAct: MayAct): void {
    this.admissions.set(services, mayAct);
  }

  /** Carries out as much as one turn allows. `targets` is asked by the first call only. */
  async carryOut(call: BulkCall, targets: () => Promise<string[]>): Promise<BulkProgress> {
    if (!isUUID(call.id, 'all')) throw new Problem('invalid', message('bulk-id-invalid'));
    await this.database.transaction(() => this.begin(call, targets));
    await inTurn(() => this.database.repeatableTransaction(() => this.nextBatch(call.id)));
    return this.progress(call.id);
  }

  /** The changes of this caller that have not ended, and those whose end the caller has not seen. */
  async pending({ id: actor }: SignedInUser): Promise<PendingBulkChange[]> {
    const { rows } = await this.database.query<Omit<PendingBulkChange, 'progress'>>(
      `SELECT id, subject, request ->> 'action' AS action, undone FROM bulk_change
        WHERE actor = $1 AND seen_at IS NULL AND subject IS NOT NULL ORDER BY created_at LIMIT 20`,
      [actor],
    );
    const changes: PendingBulkChange[] = [];
    for (const row of rows) changes.push({ ...row, progress: await this.progress(row.id) });
    return changes;
  }

  /** What is left of it is not done any more; what is done stays. A repeated call stops nothing. */
  async stop(id: string, { id: actor }: SignedInUser): Promise<BulkProgress> {
    await this.database.query(
      `UPDATE bulk_change SET stopped = 'canceled' WHERE id::text = $1 AND actor = $2 AND stopped IS NULL AND NOT undone
          AND EXISTS (SELECT FROM bulk_change_item WHERE bulk_change = bulk_change.id AND outcome IS NULL)`,
      [id, actor],
    );
    await this.assertOwn(id, actor);
    return this.progress(id);
  }

  /** The caller has seen how it ended: it is not told again. */
  async markSeen(id: string, { id: actor }: SignedInUser): Promise<void> {
    await this.assertOwn(id, actor);
    await this.database.query('UPDATE bulk_change SET seen_at = now() WHERE id::text = $1', [id]);
  }

  private async assertOwn(id: string, actor: string): Promise<void> {
    const own = await this.database.query('SELECT FROM bulk_change WHERE id::text = $1 AND actor = $2', [id, actor]);
    if (own.rowCount === 0) throw new Problem('not-found', message('bulk-gone'));
  }

  /** Reverts what was changed; what is left of the call is not done any more. */
  async undo(id: string, { id: actor }: SignedInUser): Promise<BulkProgress> {
    await this.database.transaction(async () => {
      const begun = await this.database.query(
        'UPDATE bulk_change SET undone = true, stopped = NULL, seen_at = NULL WHERE id::text = $1 AND actor = $2 AND NOT undone',
        [id, actor],
      );
      if (begun.rowCount === 0) await this.assertOwn(id, actor);
      else await this.addJob(id, actor);
    });
    await inTurn(() => this.database.repeatableTransaction(() => this.nextBatch(id)));
    return this.progress(id);
  }

  private async begin({ id, caller, subject, request }: BulkCall, targets: () => Promise<string[]>): Promise<void> {
    const actor = caller.id;
    const stored = JSON.stringify(request);
    const { rowCount } = await this.database.query(
      `INSERT INTO bulk_change (id, actor, request, subject, is_service) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO NOTHING`,
      [id, actor, stored, subject, caller.isService === true],
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
    await this.addJob(id, actor);
  }

  private async addJob(id: string, userId: string): Promise<void> {
    const { issuer = '', address = '', correlationId = '', language } = requestContext.getStore() ?? {};
    const work = { id, userId, issuer, address, correlationId, language: language?.().tag ?? 'en' };
    await this.jobs.add(bulkJobs, work, { delaySeconds: jobDelaySeconds });
  }

  /**
   * Changes or restores the next rows in the caller's transaction; returns false when nothing is left, or it was stopped. Those of one call
   * are locked in the order of their ids, one batch after another. A caller who may not change anything any more stops it.
   */
  async nextBatch(id: string): Promise<boolean> {
    const { rows: calls } = await this.database.query<StoredCall>(
      `SELECT actor, is_service AS "isService", subject, request, undone, stopped FROM bulk_change WHERE id = $1 FOR UPDATE`,
      [id],
    );
    const [call] = calls;
    const subject = this.subjects.get(call?.subject ?? '');
    if (!call || !subject || call.stopped !== null) return false;
    const caller: SignedInUser = { id: call.actor, userType: 'Admin', ...(call.isService && { isService: true }) };
    const mayAct = this.admissions.get(call.isService);
    if (mayAct && !(await mayAct(caller))) {
      await this.database.query("UPDATE bulk_change SET stopped = 'forbidden' WHERE id = $1", [id]);
      return false;
    }
    const { rows } = await this.database.query<ChangedItem>(
      `SELECT target, version, before FROM bulk_change_item
        WHERE bulk_change = $1 AND outcome ${call.undone ? "= 'changed'" : 'IS NULL'} ORDER BY target LIMIT ${batchLength}`,
      [id],
    );
    const done: object[] = [];
    for (const item of rows) {
      const outcome = call.undone
        ? { ...item, ...restored(await subject.restore(item, call.request)) }
        : await subject.apply(item.target, call.request, caller);
      done.push({ target: item.target, ...outcome });
    }
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
  }

  private async progress(id: string): Promise<BulkProgress> {
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
    if (!counts) throw new Problem('not-found', message('bulk-gone'));
    return { ...counts, failures, stopped: stopped.rows[0]?.stopped ?? null };
  }
}

/** A stored call. */
interface StoredCall {
  actor: string;
  isService: boolean;
  subject: string | null;
  request: object;
  undone: boolean;
  stopped: string | null;
}

function restored(undone: Undone): object {
  const hasLostAccess = undone.outcome === 'restored' && undone.hasLostAccess;
  return { ...undone, ...(hasLostAccess && { outcome: 'restored-without-access' }) };
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
