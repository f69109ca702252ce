import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import type { Figures } from '../metrics/figures.js';

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of `/metrics` as OpenTelemetry's, so that both have the same names and values. */
export class ExportedFigures implements MetricProducer {
  private readonly startTime = hrTime();

  constructor(
    private readonly figures: Figures,
    private readonly resource: Resource,
  ) {}

  async collect(): Promise<CollectionResult> {
    await this.figures.update();
    const metrics = (await this.figures.registry.getMetricsAsJSON()) as unknown as Metric[];
    const times = { startTime: this.startTime, endTime: hrTime() };
    const exported = metrics.filter(({ values }) => values.length > 0).map((metric) => dataOf(metric, times));
    return { resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope, metrics: exported }] }, errors: [] };
  }
}

const scope = { name: 'gatehouse' };

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

function dataOf(metric: Metric, times: Times): MetricData {
  const { name, help } = metric;
  // prom-client names the types by words where its declarations have numbers.
  const type = String(metric.type);
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, times) };
  }
  const dataPoints = metric.values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus counts in each bucket what is in the smaller ones, too. */
function histograms({ name, values }: Metric, times: Times): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram> & { value: Histogram }>();
  for (const { metricName, labels, value } of values as MetricValueWithName<string>[]) {
    const { le, ...attributes } = labels as Record<string, string | number>;
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? { ...times, attributes, value: emptyHistogram() };
    points.set(key, point);
    const { buckets } = point.value;
    if (metricName === `${name}_sum`) point.value.sum = value;
    else if (metricName === `${name}_count`) point.value.count = value;
    else {
      if (le !== '+Inf') buckets.boundaries.push(Number(le));
      buckets.counts.push(value);
    }
  }
  for (const { value } of points.values()) {
    const { counts } = value.buckets;
    value.buckets.counts = counts.map((count, index) => count - (counts[index - 1] ?? 0));
  }
  return [...points.values()];
}

function emptyHistogram(): Histogram {
  return { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 };
}
