import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  status?: { code?: number };
}

interface OtlpPoint {
  attributes: Attribute[];
  asDouble?: number;
  asInt?: number | string;
  count?: number | string;
  sum?: number;
  bucketCounts?: (number | string)[];
  explicitBounds?: number[];
}

interface OtlpMetric {
  name: string;
  sum?: { dataPoints: OtlpPoint[]; isMonotonic: boolean };
  gauge?: { dataPoints: OtlpPoint[] };
  histogram?: { dataPoints: OtlpPoint[] };
}

interface OtlpTraces {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

interface OtlpMetrics {
  resourceMetrics: { scopeMetrics: { metrics: OtlpMetric[] }[] }[];
}

export interface ReceivedSpan extends Omit<OtlpSpan, 'attributes'> {
  attributes: Record<string, string | number>;
}

/** The answer of a collector. */
export type CollectorMood = 'ok' | 'error' | 'hang' | 'garbage';

/** An OpenTelemetry collector: OTLP over HTTP with JSON, as far as an exporter can see it. */
export class Collector {
  mood: CollectorMood = 'ok';
  readonly received: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  private readonly waiting: ServerResponse[] = [];
  private readonly server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    this.received.push({ path: request.url ?? '', headers: request.headers, text });
    if (this.mood === 'hang') this.waiting.push(response);
    else if (this.mood === 'error') response.writeHead(500).end('broken');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(this.mood === 'ok' ? '{}' : '<html>');
  });

  static async start(mood: CollectorMood = 'ok'): Promise<Collector> {
    const collector = new Collector();
    collector.mood = mood;
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get spans(): ReceivedSpan[] {
    return this.bodies<OtlpTraces>('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: attributesOf(span.attributes) }));
  }

  /** The metrics that were received last. */
  get metrics(): OtlpMetric[] {
    const [last] = this.bodies<OtlpMetrics>('/v1/metrics').slice(-1);
    return (last?.resourceMetrics ?? []).flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  }

  async close(): Promise<void> {
    for (const response of this.waiting) response.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private bodies<Body>(path: string): Body[] {
    return this.received.flatMap((one) => (one.path === path ? [JSON.parse(one.text) as Body] : []));
  }
}

export function attributesOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? Number(intValue ?? doubleValue),
    ]),
  );
}
