import type { Resource } from './records.js';
import type { Store } from './store.js';

export interface SmallAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The parts of the gateway that changes need. */
export interface Holder {
  readonly store: Store;
  readonly jobs: Map<string, { patient: string | undefined; resources: Resource[] }>;
  readonly base: string;
  has(flaw: string): boolean;
}

export const refusal = (status: number, text: string): SmallAnswer => ({
  status,
  body: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'processing', diagnostics: text }] },
});

export const bundle = (type: string, resources: unknown[], total = resources.length) => ({
  resourceType: 'Bundle',
  type,
  total,
  entry: resources.map((resource) => ({ resource, search: { mode: 'match' } })),
});
