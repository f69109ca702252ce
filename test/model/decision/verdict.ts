import type { RuleId } from './rules.js';
import type { Query, Resource } from './world.js';

/** What the app gets, and what reaches the server. */
export type Verdict =
  | { status: number; rule: RuleId }
  | { shown: readonly Resource[]; total?: number | undefined; inside?: Query | undefined }
  /** A change that is sent; the resource where the gateway writes it itself. */
  | { sent: { method: string; path: string; body?: unknown } }
  | { parts: readonly Verdict[] }
  /** Nothing to show, nothing to do. */
  | 'done';

/** Thrown where a request is refused. */
export class Refused extends Error {
  constructor(
    readonly rule: RuleId,
    readonly status: number,
  ) {
    super(rule);
  }
}

export function shown(resource: Resource | undefined): Verdict {
  return resource ? { shown: [resource] } : { status: 404, rule: 'hidden' };
}
