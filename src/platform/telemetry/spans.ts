import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Measured } from '../metrics/request-kind.js';

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** An open span of a trace. Requests have one only while telemetry is on, so the code that uses it loads nothing. */
export interface OpenSpan {
  /** False if the trace is not exported; its spans cost next to nothing then. */
  readonly isRecorded: boolean;
  readonly traceId: string;
  /** Header of a request to another server that is part of the span (W3C Trace Context §3.2). */
  readonly traceparent: string;
  /** Opens a span below this one, for a request to another server or the database. Never with personal data or secrets. */
  begin(name: string, attributes: SpanAttributes): OpenSpan;
  /** `failure` is a code, never a message: messages may have personal data. */
  end(result?: { attributes?: SpanAttributes; failure?: string | undefined }): void;
}

/** The facts about an answered request in its span. */
export interface TracedRequest {
  readonly correlationId: string;
  readonly measured?: Measured | undefined;
}

/** Traces requests. */
export interface Tracing {
  /** Opens the span of a request, which ends with its response. */
  openSpan(context: TracedRequest, request: IncomingMessage, response: ServerResponse): OpenSpan;
}

/** The telemetry that starts when a collector is configured. */
export interface RunningTelemetry {
  tracing: Tracing;
  /** Exports what is left, unless the collector takes too long. */
  stop(): Promise<void>;
}
