import { Refusal } from '../../../src/gateway/domain/refusal.js';

/** Returns the result of `work`, or the refusal that it throws. */
export function resultOrRefusal<Result>(work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Returns the refusal of `work` as `<status> <code>: <sentence>`; `permitted` if it refuses nothing. */
export function decisionOf(work: () => unknown): string {
  const decided = resultOrRefusal(work);
  return decided instanceof Refusal ? `${decided.status} ${decided.code}: ${decided.message}` : 'permitted';
}
