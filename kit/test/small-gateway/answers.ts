import type { Resource } from './records.js';
import type { SmallRequest } from './request.js';
import type { Store } from './store.js';

export interface SmallAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** How a mutant opens changes and exports. */
export interface Openings {
  /** Changes that are made, though what is changed is another patient's. */
  frees?: (request: SmallRequest) => boolean;
  /** What is stored, though it names what is another patient's. */
  binds?: (resource: Resource, request: SmallRequest) => boolean;
  /** Requests of an export that are answered without a limit: its start, its state, its files, its end. */
  exports?: (request: SmallRequest) => boolean;
}

/** The parts of the gateway that changes need. */
export interface Holder {
  readonly mutant: Openings;
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
