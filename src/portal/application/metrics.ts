import { Injectable } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { JobRunner } from '../../platform/jobs/job-runner.js';

/** Metrics for Prometheus of this process, and of the jobs that wait for any node; nothing about users. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly due = new Gauge(this.ofJobs('gatehouse_jobs_due', 'Jobs of all nodes that are due'));
  private readonly oldest = new Gauge(
    this.ofJobs('gatehouse_jobs_oldest_age_seconds', 'Age of the oldest waiting job of all nodes, due or not'),
  );
  private readonly failures = new Counter(
    this.ofJobs('gatehouse_job_failures_total', 'Jobs that failed in an attempt of this process'),
  );
  private readonly givenUp = new Counter(
    this.ofJobs('gatehouse_jobs_given_up_total', 'Jobs that this process dropped because they were too old'),
  );

  constructor(private readonly jobs: JobRunner) {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    const figures = await this.jobs.figures();
    for (const metric of [this.due, this.oldest, this.failures, this.givenUp]) metric.reset();
    for (const { kind, due, oldestSeconds, failures, givenUp } of figures) {
      if (due !== undefined) this.due.set({ kind }, due);
      if (oldestSeconds !== undefined) this.oldest.set({ kind }, oldestSeconds);
      this.failures.inc({ kind }, failures);
      this.givenUp.inc({ kind }, givenUp);
    }
    return this.registry.metrics();
  }

  private ofJobs(name: string, help: string) {
    return { name, help, labelNames: ['kind'], registers: [this.registry] };
  }
}
