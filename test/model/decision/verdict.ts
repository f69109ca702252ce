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
  | 'done'
  /** The app has the version that it would be shown. */
  | 'unchanged';

/** Thrown where a request is refused. */
export class Refused extends Error {
  constructor(
    readonly rule: RuleId,
    readonly status: number,
  ) {
    super(rule);
  }
}

export function shown(resource: Resource | undefined, known?: string): Verdict {
  if (!resource) return { status: 404, rule: 'hidden' };
  return known === versionOf(resource) ? 'unchanged' : { shown: [resource] };
}

/** As headers name it. */
function versionOf({ meta }: Resource): string {
  return `W/"${(meta as { versionId?: string } | undefined)?.versionId}"`;
}
