import type { Worker } from 'node:cluster';
import type { FromWorker, ToWorker } from './messages.js';

/** A question of one worker to all. */
interface Question {
  asking: Worker;
  /** The id of the asking worker. */
  id: number;
  missing: Set<Worker>;
  reports: unknown[];
}

/** Passes the questions and the reports of `WorkerReports` on between the workers that serve. */
export class Reports {
  private readonly serving = new Set<Worker>();
  private readonly questions = new Map<number, Question>();
  private lastId = 0;
  /** The last report of each worker. */
  private readonly last = new Map<Worker, unknown>();
  private ended: unknown[] | undefined;

  addWorker(worker: Worker): void {
    this.serving.add(worker);
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'reports') this.askAll(worker, message.id);
      if (message.kind === 'report') this.collect(worker, message.id, message.report);
    });
    worker.once('exit', () => {
      this.serving.delete(worker);
      this.ended = withCountsOf(this.ended, this.last.get(worker));
      this.last.delete(worker);
      for (const [id, question] of this.questions) {
        if (question.asking === worker) this.questions.delete(id);
        else if (question.missing.delete(worker)) this.answerWhenComplete(id, question);
      }
    });
  }

  private askAll(asking: Worker, id: number): void {
    this.lastId += 1;
    this.questions.set(this.lastId, { asking, id, missing: new Set(this.serving), reports: [] });
    for (const worker of this.serving) send(worker, { kind: 'report', id: this.lastId });
  }

  private collect(worker: Worker, id: number, report: unknown): void {
    this.last.set(worker, report);
    const question = this.questions.get(id);
    if (!question?.missing.delete(worker)) return;
    question.reports.push(report);
    this.answerWhenComplete(id, question);
  }

  private answerWhenComplete(key: number, { asking, id, missing, reports }: Question): void {
    if (missing.size > 0) return;
    this.questions.delete(key);
    send(asking, { kind: 'reports', id, reports: this.ended ? [...reports, this.ended] : reports });
  }
}

/** A worker that ends meanwhile needs no message. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** A metric as `prom-client` reports it; the primary process does not load that library. */
interface ReportedMetric {
  name: string;
  type: string;
  values: { value: number; labels: object; metricName?: string }[];
}

const counted = new Set(['counter', 'histogram']);

/**
 * Adds the counters and histograms of a worker that ended to those of the ones before it: sums of all workers must not
 * fall, or Prometheus would take the rest of a counter for new events. Gauges of a worker end with it.
 */
function withCountsOf(ended: unknown[] | undefined, report: unknown): unknown[] {
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
