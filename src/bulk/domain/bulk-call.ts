import type { BulkProgress, BulkSubjectName, PendingBulkChange } from '../../contract/clients/bulk.js';

/** A stored call that changes many. */
export interface BulkCall {
  id: string;
  /** The account or service that made the call. */
  actor: string;
  isService: boolean;
  /** The kind of its rows; null for a call of an earlier version. */
  subject: BulkSubjectName | null;
  request: object;
}

/** A call whose rows are changed or, once it is undone, restored. */
export interface CallUnderWay extends Omit<BulkCall, 'id'> {
  undone: boolean;
}

/** One row that was changed: its version since, and what is needed to undo it. */
export interface ChangedItem {
  target: string;
  version: number | null;
  before: unknown;
}

/** Calls that change many, with the outcome of each row. All methods run in the caller's transaction. */
export abstract class BulkCalls {
  /** False if there is a call with this id. */
  abstract add(call: BulkCall): Promise<boolean>;
  /** True if the call with this id is the same. */
  abstract isSame(call: BulkCall): Promise<boolean>;
  /** Each row once. */
  abstract addTargets(id: string, targets: readonly string[]): Promise<void>;
  /** Removes the calls of the days before. */
  abstract removeOld(): Promise<void>;
  abstract isOf(id: string, actor: string): Promise<boolean>;
  /** Ends what is left of a call that is not undone. */
  abstract cancel(id: string, actor: string): Promise<void>;
  /** Ends a call whose caller may not change anything any more. */
  abstract forbid(id: string): Promise<void>;
  /** True for exactly one caller. */
  abstract markUndone(id: string, actor: string): Promise<boolean>;
  abstract markSeen(id: string): Promise<void>;
  /** Locks the call; undefined if it is gone or stopped. */
  abstract underWayForChange(id: string): Promise<CallUnderWay | undefined>;
  /** The next rows to change, or to restore, in the order of their ids. */
  abstract nextItems(id: string, undone: boolean, limit: number): Promise<ChangedItem[]>;
  /** Stores the outcome of rows, by their `target`. */
  abstract settle(id: string, outcomes: readonly object[]): Promise<void>;
  /** Calls that have not ended, and those whose end was not seen. */
  abstract pendingOf(actor: string): Promise<Omit<PendingBulkChange, 'progress'>[]>;
  abstract progressOf(id: string): Promise<BulkProgress | undefined>;
}
