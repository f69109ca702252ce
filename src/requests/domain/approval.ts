import type { ApprovalTerms } from './request.js';

/** True if both approve the same: the second of two administrators approves what the first has approved. */
export function isSameApproval(one: ApprovalTerms, other: ApprovalTerms): boolean {
  const names = Object.keys(one) as (keyof ApprovalTerms)[];
  return names.every((name) => one[name] === other[name]);
}
