import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { TRACE_PARENT_HEADER, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Pool } from 'pg';
import type { Config } from '../config/config.js';
import type { Figures } from '../metrics/figures.js';
import { outcomeOf } from '../metrics/request-figures.js';
import { productVersion } from '../process/product.js';
import type { OpenSpan, SpanAttributes } from '../request/scope.js';
import { ExportReport } from './export-report.js';
import { ExportedFigures } from './exported-figures.js';
import type { RunningTelemetry, TracedRequest, Tracing } from './spans.js';
import { traceStatements } from './statement-spans.js';

/** Longest wait for the collector, for one export. */
const exportMs = 5_000;
const metricsEveryMs = 30_000;
/** A collector that hangs must not delay the end of a node. */
const patienceAtStopMs = 3_000;

type TelemetryConfig = { otlpEndpoint: string } & Pick<Config['telemetry'], 'sampleRatio'>;

/**
 * Exports traces of requests and the metrics by OTLP over HTTP. Nothing waits for the collector: spans that it does not
 * take in time are dropped, and the next metrics replace the last ones.
 */
export function startOpenTelemetry(
  { otlpEndpoint, sampleRatio }: TelemetryConfig,
  figures: Figures,
  pool: Pool,
): RunningTelemetry {
  const resource = resourceFromAttributes({
    'service.name': 'gatehouse',
    'service.version': productVersion,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const report = new ExportReport(otlpEndpoint);
  const to = (signal: string) => ({
    url: `${otlpEndpoint}/v1/${signal}`,
    timeoutMillis: exportMs,
    concurrencyLimit: 2,
  });
  // A caller can send any trace id, but not have more of its requests exported than others.
  const sampler = new TraceIdRatioBasedSampler(sampleRatio);
  const spans = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [new BatchSpanProcessor({ exporter: report.watch(new OTLPTraceExporter(to('traces'))) })],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: report.watch(new OTLPMetricExporter(to('metrics'))),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: exportMs,
        metricProducers: [new ExportedFigures(figures, resource)],
      }),
    ],
  });
  if (sampleRatio > 0) traceStatements(pool);
  return {
    tracing: new RequestTraces(spans.getTracer('gatehouse', productVersion)),
    async stop() {
      const ended = Promise.allSettled([spans.shutdown(), metrics.shutdown()]);
      await Promise.race([ended, sleep(patienceAtStopMs, undefined, { ref: false })]);
    },
  };
}

const propagator = new W3CTraceContextPropagator();
/** Only `traceparent`: what a caller puts into `tracestate` is not known, and would be exported. */
const headers = {
  get: (carrier: IncomingMessage['headers'], key: string) => (key === TRACE_PARENT_HEADER ? carrier[key] : undefined),
  keys: () => [TRACE_PARENT_HEADER],
};

class RequestTraces implements Tracing {
  constructor(private readonly tracer: Tracer) {}

  openSpan(context: TracedRequest, request: IncomingMessage, response: ServerResponse): OpenSpan {
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, headers);
    const attributes = { 'http.request.method': request.method ?? '' };
    const span = new TraceSpan(this.tracer, parent, 'request', SpanKind.SERVER, attributes);
    if (span.isRecorded) response.once('close', () => endOf(span, context, response));
    return span;
  }
}

function endOf(span: TraceSpan, { measured, correlationId }: TracedRequest, response: ServerResponse): void {
  const { kind = 'other', operation = '' } = measured ?? {};
  const { statusCode } = response;
  span.rename(operation === '' ? kind : `${kind} ${operation}`);
  const outcome = measured ? outcomeOf(measured, response) : '';
  span.end({
    attributes: {
      'http.response.status_code': statusCode,
      'gatehouse.kind': kind,
      'gatehouse.operation': operation,
      'gatehouse.outcome': outcome,
      // The log has it, too.
      'gatehouse.correlation_id': correlationId,
    },
    failure: statusCode >= 500 ? outcome : undefined,
  });
}

class TraceSpan implements OpenSpan {
  readonly isRecorded: boolean;
  private readonly span: Span;
  private readonly context: Context;

  constructor(
    private readonly tracer: Tracer,
    parent: Context,
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
  ) {
    this.span = tracer.startSpan(name, { kind, attributes }, parent);
    this.context = trace.setSpan(parent, this.span);
    this.isRecorded = this.span.isRecording();
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  begin(name: string, attributes: SpanAttributes): OpenSpan {
    return this.isRecorded
      ? new TraceSpan(this.tracer, this.context, name, SpanKind.CLIENT, attributes)
      : unrecorded(this);
  }

  end({ attributes = {}, failure }: Parameters<OpenSpan['end']>[0] = {}): void {
    this.span.setAttributes(attributes);
    if (failure !== undefined) {
      this.span.setAttribute('error.type', failure);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

/** Other servers learn only that a trace is not exported. */
function unrecorded({ traceId, traceparent }: OpenSpan): OpenSpan {
  const span: OpenSpan = { isRecorded: false, traceId, traceparent, begin: () => span, end: () => undefined };
  return span;
}
