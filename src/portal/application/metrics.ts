import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, collectDefaultMetrics, type MetricObject } from 'prom-client';
import { Figures } from '../../platform/metrics/figures.js';
import { WorkerReports } from '../../platform/workers/worker.js';

/**
 * Metrics for Prometheus of this process and of all nodes; nothing about users. One of several workers
 * (`server.workers`) answers for all of them: with sums, since a scrape reaches any worker.
 */
@Injectable()
export class Metrics {
  private readonly workers = new WorkerReports(() => this.report());

  constructor(private readonly figures: Figures) {
    collectDefaultMetrics({ register: figures.registry });
  }

  get contentType(): string {
    return this.figures.registry.contentType;
  }

  async text(): Promise<string> {
    const reports = await this.workers.all();
    if (reports) return AggregatorRegistry.aggregate(reports).metrics();
    await this.figures.update();
    return this.figures.registry.metrics();
  }

  private async report(): Promise<MetricObject[]> {
    await this.figures.update();
    return this.figures.registry.getMetricsAsJSON();
  }
}
