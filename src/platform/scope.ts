import { AsyncLocalStorage } from 'node:async_hooks';
import type { LaunchNotes } from './activity/noted.js';
import type { Language } from './language.js';
import type { Measured } from './metrics/request-kind.js';
import type { OpenSpan } from './telemetry/spans.js';

/** Knows when requests arrived ({@link ./arrivals.js}). */
interface ArrivalTimes {
  earliest(): number;
}

/** Facts about the current request, available everywhere in its call chain. */
export interface RequestContext {
  correlationId: string;
  /** Issuer of the portal that serves the request: a process may hold several. */
  issuer: string;
  /** The client's IP address. */
  address: string;
  /** The language that the user wants; found out only when it is asked for. */
  language: () => Language;
  arrivals?: ArrivalTimes | undefined;
  /** The earliest time at which its body was complete, of `performance.now()`; absent for a request without one. */
  completeAt?: number | undefined;
  /** Id of the signed-in user; set once the guard has admitted the request. */
  userId?: string;
  /** Notes of the request about the app's launch that it belongs to. */
  launch?: LaunchNotes;
  /** The labels under which the metrics count the request. */
  measured?: Measured | undefined;
  /** The span of the request in a trace; absent while telemetry is off. */
  span?: OpenSpan;
}

interface Scope {
  request?: RequestContext | undefined;
  /** The current transaction; only the database uses it. */
  transaction?: unknown;
}

/** One storage for all values that travel with a call: each storage slows every promise of the process a little. */
const storage = new AsyncLocalStorage<Scope>();

export const requestContext = {
  run: <T>(request: RequestContext, work: () => T): T => storage.run({ request }, work),
  getStore: (): RequestContext | undefined => storage.getStore()?.request,
};

export const transactionAtHand = {
  run: <T>(transaction: unknown, work: () => T): T =>
    storage.run({ request: storage.getStore()?.request, transaction }, work),
  getStore: (): unknown => storage.getStore()?.transaction,
};
