import type { ImportProgress } from '../../contract/users/user-import.js';
import type { UserForm } from './user.js';

/** A line of an import that waits. */
export interface ImportLine {
  line: number;
  form: UserForm;
}

/** The outcome of a line. */
export interface ImportOutcome {
  line: number;
  outcome: 'created' | 'known' | 'refused';
}

/**
 * Imports of users: which lines wait, and what became of the others. The form of a line is removed with its outcome, and the
 * rest when another one begins a day later.
 */
export abstract class UserImports {
  /** False if there is one with this id, whose file may be another; in the caller's transaction. */
  abstract begin(id: string, actor: string, fileHash: string, lines: readonly ImportLine[]): Promise<boolean>;
  /** True for the import of this administrator with this file. */
  abstract isSame(id: string, actor: string, fileHash: string): Promise<boolean>;
  /** The next lines; one batch of an import after the other, until the transaction ends. */
  abstract nextForChange(id: string, most: number): Promise<ImportLine[]>;
  abstract settle(id: string, outcomes: readonly ImportOutcome[]): Promise<void>;
  abstract progress(id: string, actor: string): Promise<ImportProgress | undefined>;
  /** The addresses of these, in lower case, that have an account. */
  abstract knownAddresses(addresses: readonly string[]): Promise<Set<string>>;
}
