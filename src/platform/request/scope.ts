import { AsyncLocalStorage } from 'node:async_hooks';
import type { CauseCode } from '../../contract/activity/catalogue.js';
import type { Detail } from '../../contract/activity/cause.js';
import type { Language } from '../language/language.js';

/**
 * `service`: requests of a back-end service, by client and day; `unknown`: requests that belong to no known launch, by
 * their sender, fault and day; `trial`: a trial of an administrator.
 */
type LaunchKind = 'launch' | 'service' | 'unknown' | 'trial';

export interface NotedEntry {
  code: CauseCode;
  /** Milliseconds since 1970. */
  at: number;
  detail: Detail;
}

/** Notes of the current request about its launch. The front door hands them to the log with the answer's head. */
export interface LaunchNotes {
  id?: string;
  kind?: LaunchKind;
  clientId?: string | undefined;
  accountId?: string | undefined;
  /** Hash of the code that was issued, by which its token request is found. */
  codeHash?: string;
  /** True if the answer must not have the reference: it would tell the caller what the answer does not. */
  isHidden?: boolean;
  /** True if the record is that of several callers, of which none is its client or its person. */
  isShared?: true;
  entries: NotedEntry[];
}

/** The purpose of a request. */
export type RequestKind =
  | 'authorize'
  | 'par'
  | 'token'
  | 'introspection'
  | 'revocation'
  | 'userinfo'
  | 'end-session'
  | 'keys'
  | 'discovery'
  | 'gateway'
  | 'api'
  | 'page'
  | 'file';

/**
 * The labels of a counted request. Each value is from a list in the code: a caller must not be able to create new
 * series.
 */
export interface Measured {
  kind: RequestKind;
  /**
   * The grant type of a token request, the interaction of a request for data; `other` for what the code does not know.
   */
  operation: string;
  /** The error code of the answer; without one its status decides. */
  outcome?: string;
  /** Milliseconds in which the FHIR server was awaited; absent if it was not asked. */
  serverMs?: number;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** An open span of a trace. Requests have one only while telemetry is on, so the code that uses it loads nothing. */
export interface OpenSpan {
  /** False if the trace is not exported; its spans cost next to nothing then. */
  readonly isRecorded: boolean;
  readonly traceId: string;
  /** Header of a request to another server that is part of the span (W3C Trace Context §3.2). */
  readonly traceparent: string;
  /**
   * Opens a span below this one, for a request to another server or the database. Never with personal data or secrets.
   */
  begin(name: string, attributes: SpanAttributes): OpenSpan;
  /** `failure` is a code, never a message: messages may have personal data. */
  end(result?: { attributes?: SpanAttributes; failure?: string | undefined }): void;
}

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
