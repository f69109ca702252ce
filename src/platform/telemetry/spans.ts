import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Measured, OpenSpan } from '../request/scope.js';

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
