import type { ImportProgress, KeptReason } from '../../contract/users/user-import.js';
import type { UserForm } from './user.js';

/** A line of an import that waits. */
export interface ImportLine {
  line: number;
  form: UserForm;
}

/** The outcome of a line, with the account that it has created. */
export type ImportOutcome =
  | { line: number; outcome: 'created'; account: string }
  | { line: number; outcome: 'known' | 'refused' };

/** The outcome of an undo for a line that has created an account: removed, or kept for a reason. */
export interface UndoOutcome {
  line: number;
  outcome: 'removed' | KeptReason;
}

/**
 * Imports of users: which lines wait, and what became of the others. The form of a line is removed with its outcome,
 * and the rest when another one begins a day later.
 */
export abstract class UserImports {
  /** False if there is one with this id, whose file may be another; in the caller's transaction. */
  abstract begin(id: string, actor: string, fileHash: string, lines: readonly ImportLine[]): Promise<boolean>;
  /** True for the import of this administrator with this file. */
  abstract isSame(id: string, actor: string, fileHash: string): Promise<boolean>;
  /** The next lines; one batch of an import after the other, until the transaction ends. */
  abstract nextForChange(id: string, most: number): Promise<ImportLine[]>;
  abstract settle(id: string, outcomes: readonly ImportOutcome[]): Promise<void>;
  /**
   * Ends the wait of all lines, in the caller's transaction. Returns their number; undefined if this administrator has
   * no such import.
   */
  abstract stop(id: string, actor: string): Promise<number | undefined>;
  /** True for the first call; in the caller's transaction. */
  abstract requestUndo(id: string): Promise<boolean>;
  /** The next accounts that an undo has not decided about; one batch after the other, until the transaction ends. */
  abstract nextToUndo(id: string, most: number): Promise<{ line: number; account: string }[]>;
  abstract settleUndo(id: string, outcomes: readonly UndoOutcome[]): Promise<void>;
  abstract progress(id: string, actor: string): Promise<ImportProgress | undefined>;
  /** The addresses of these, in lower case, that have an account. */
  abstract knownAddresses(addresses: readonly string[]): Promise<Set<string>>;
}
