import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { poolOf } from '../database/ambient-transaction.js';
import { Figures } from '../metrics/figures.js';
import type { RunningTelemetry, Tracing } from './spans.js';

/** Traces and metrics for an OpenTelemetry collector. Its packages are loaded only where a collector is configured. */
@Injectable()
export class Telemetry implements OnModuleDestroy {
  private running: RunningTelemetry | undefined;

  constructor(
    private readonly config: Config,
    private readonly figures: Figures,
    private readonly dataSource: DataSource,
  ) {}

  /** Undefined while telemetry is off. */
  get tracing(): Tracing | undefined {
    return this.running?.tracing;
  }

  async start(): Promise<void> {
    const { otlpEndpoint, sampleRatio } = this.config.telemetry;
    if (otlpEndpoint === undefined) return;
    const { startOpenTelemetry } = await import('./open-telemetry.js');
    this.running = startOpenTelemetry({ otlpEndpoint, sampleRatio }, this.figures, poolOf(this.dataSource));
  }

  async onModuleDestroy(): Promise<void> {
    await this.running?.stop();
  }
}
