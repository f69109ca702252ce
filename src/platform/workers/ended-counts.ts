/** A metric as `prom-client` reports it; the primary process does not load that library. */
interface ReportedMetric {
  name: string;
  type: string;
  values: { value: number; labels: object; metricName?: string }[];
}

const counted = new Set(['counter', 'histogram']);

/**
 * Adds the counters and histograms of a worker that ended to those of the ones before it: sums of all workers must not fall, or
 * Prometheus would take the rest of a counter for new events. Gauges of a worker end with it.
 */
export function withCountsOf(ended: unknown[] | undefined, report: unknown): unknown[] {
  const sums = new Map<string, ReportedMetric>();
  for (const metric of [...(ended ?? []), ...(Array.isArray(report) ? report : [])] as ReportedMetric[]) {
    if (!counted.has(metric.type)) continue;
    const sum = sums.get(metric.name);
    sums.set(metric.name, sum ? { ...sum, values: added(sum.values, metric.values) } : metric);
  }
  return [...sums.values()];
}

function added(...both: ReportedMetric['values'][]): ReportedMetric['values'] {
  const sums = new Map<string, ReportedMetric['values'][0]>();
  for (const one of both.flat()) {
    const key = JSON.stringify([one.metricName, Object.entries(one.labels).sort()]);
    sums.set(key, { ...one, value: one.value + (sums.get(key)?.value ?? 0) });
  }
  return [...sums.values()];
}
