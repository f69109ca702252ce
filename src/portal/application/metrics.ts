import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, type MetricObject, Registry } from 'prom-client';
import { ActivityLog } from '../../platform/activity/activity-log.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { WorkerReports } from '../../platform/workers/worker.js';

/**
 * Metrics for Prometheus of this process and of the jobs that wait for any node; nothing about users. One of several workers
 * (`server.workers`) answers for all of them: with sums, since a scrape reaches any worker.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly workers = new WorkerReports(() => this.report());
  private readonly due = this.gaugeOfAllNodes('gatehouse_jobs_due', 'Jobs of all nodes that are due');
  private readonly oldest = this.gaugeOfAllNodes(
    'gatehouse_jobs_oldest_age_seconds',
    'Age of the oldest waiting job of all nodes, due or not',
  );
  private readonly failures = this.counter(
    'gatehouse_job_failures_total',
    'Jobs that failed in an attempt of this process',
  );
  private readonly givenUp = this.counter(
    'gatehouse_jobs_given_up_total',
    'Jobs that this process dropped because they were too old',
  );
  private readonly launchesDropped = new Counter({
    name: 'gatehouse_launches_dropped_total',
    help: 'Launches whose entries this process dropped because they could not be recorded',
    registers: [this.registry],
  });

  constructor(
    private readonly jobs: JobRunner,
    private readonly activity: ActivityLog,
  ) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'gatehouse_workers',
      help: 'Processes that serve (server.workers)',
      registers: [this.registry],
    }).set(1);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    const reports = await this.workers.all();
    if (reports) return AggregatorRegistry.aggregate(reports).metrics();
    await this.update();
    return this.registry.metrics();
  }

  private async report(): Promise<MetricObject[]> {
    await this.update();
    return this.registry.getMetricsAsJSON();
  }

  private async update(): Promise<void> {
    this.launchesDropped.reset();
    this.launchesDropped.inc(this.activity.dropped);
    const figures = await this.jobs.figures();
    for (const metric of [this.due, this.oldest, this.failures, this.givenUp]) metric.reset();
    for (const { kind, due, oldestSeconds, failures, givenUp } of figures) {
      if (due !== undefined) this.due.set({ kind }, due);
      if (oldestSeconds !== undefined) this.oldest.set({ kind }, oldestSeconds);
      this.failures.inc({ kind }, failures);
      this.givenUp.inc({ kind }, givenUp);
    }
  }

  /** Each worker reports the same value, which must not be added. */
  private gaugeOfAllNodes(name: string, help: string): Gauge {
    return new Gauge({ name, help, labelNames: ['kind'], registers: [this.registry], aggregator: 'max' });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, labelNames: ['kind'], registers: [this.registry] });
  }
}
