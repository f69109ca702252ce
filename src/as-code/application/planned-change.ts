import type { FieldProblem } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import type { Path } from '../domain/file-problems.js';
import type { Change } from '../domain/plan.js';
import type { FileContent } from './file-content.js';

/** A change with the way to make it. */
export interface PlannedChange extends Change {
  /** Place in the file; of an object that is not in it, the section. */
  path: Path;
  /** Id of the object. */
  id: string;
  /**
   * The facts that the plan depends on next to the visible changes: the stored object with its version, hashes of
   * secrets.
   */
  basis: unknown;
  carryOut(): Promise<void>;
}

/** Runs a rule, and notes what it refuses in the file. */
export function attempted<T>(content: FileContent, path: Path, plan: () => T): T | undefined {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    content.addAll(path, problemsOf(error));
    return undefined;
  }
}

export function problemsOf({ options, userMessage }: Problem): FieldProblem[] {
  return options.items ?? [{ messages: [userMessage] }];
}
