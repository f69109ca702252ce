import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { log } from '../logging/log.js';

/** A figure whose value is read when the metrics are. */
export interface Figure {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Default: `gauge`. */
  type?: 'gauge' | 'counter';
  /**
   * The way to combine the metrics of several workers. Default: `sum`. Each worker reports the same value of a figure
   * of all nodes: `max`.
   */
  across?: 'sum' | 'max' | 'min';
}

/** Values by the name of their figure; one that is absent, or a figure without values, is not in the metrics. */
export type FigureValues = Readonly<Record<string, number | readonly LabelledValue[] | undefined>>;

interface LabelledValue {
  labels: Record<string, string>;
  value: number;
}

interface Source {
  metrics: Map<string, Gauge | Counter>;
  read: () => Promise<FigureValues>;
  /** The values if they cannot be read. */
  otherwise: FigureValues;
}

/** A database that does not answer must not delay the metrics of everything else. */
const patienceMs = 2_000;

/**
 * The metrics of this process: counted ones are added to the registry, others are read from their source for each
 * report.
 */
@Injectable()
export class Figures {
  readonly registry = new Registry();
  private readonly sources: Source[] = [];
  private readonly atHand: { metrics: Source['metrics']; read: () => FigureValues }[] = [];
  private updating: Promise<void> | undefined;

  /** Adds figures of this process, whose values one call of `read` has. */
  add(figures: readonly Figure[], read: () => FigureValues): void {
    this.atHand.push({ metrics: this.metricsOf(figures), read });
  }

  /** The same for values in the database; they are absent, or `otherwise`, while `read` fails or takes too long. */
  addStored(figures: readonly Figure[], read: Source['read'], otherwise: FigureValues = {}): void {
    this.sources.push({ metrics: this.metricsOf(figures), read, otherwise });
  }

  /** Reads all values. Calls at the same time share one reading. */
  update(): Promise<void> {
    // First, or the connections that are used to read the others would be counted.
    for (const { metrics, read } of this.atHand) setValues(metrics, read());
    this.updating ??= Promise.all(
      this.sources.map(async ({ metrics, ...source }) => setValues(metrics, await readInTime(source))),
    ).then(() => {
      this.updating = undefined;
    });
    return this.updating;
  }

  private metricsOf(figures: readonly Figure[]): Source['metrics'] {
    const metrics = figures.map(({ name, help, labels = [], type = 'gauge', across = 'sum' }) => {
      const options = { name, help, labelNames: labels, registers: [this.registry], aggregator: across };
      return [name, type === 'counter' ? new Counter(options) : new Gauge(options)] as const;
    });
    return new Map(metrics);
  }
}

function setValues(metrics: Source['metrics'], values: FigureValues): void {
  for (const [name, metric] of metrics) {
    metric.reset();
    const value = values[name];
    // A figure without labels would be 0 after the reset.
    if (value === undefined) metric.remove({});
    else
      for (const one of typeof value === 'number' ? [{ labels: {}, value }] : value) metric.inc(one.labels, one.value);
  }
}

async function readInTime({ read, otherwise }: Omit<Source, 'metrics'>): Promise<FigureValues> {
  try {
    return await Promise.race([read(), sleep(patienceMs, otherwise, { ref: false })]);
  } catch (err) {
    log.debug({ err }, 'reading figures for the metrics failed');
    return otherwise;
  }
}
