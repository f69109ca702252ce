import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { log } from '../logging/log.js';

/** A collector that is away for days must not fill the log. */
const everyMs = 10 * 60_000;

interface Exporter {
  export(items: never, done: (result: ExportResult) => void): void;
}

/** Logs that the collector does not take what is exported: at first, every ten minutes, and when it does again. */
export class ExportReport {
  private failures = 0;
  private lastLogged = Number.NEGATIVE_INFINITY;

  constructor(private readonly endpoint: string) {}

  /** The same exporter, whose results are noted. */
  watch<E extends Exporter>(exporter: E): E {
    const send = exporter.export.bind(exporter) as Exporter['export'];
    return Object.assign(exporter, {
      export: (items: never, done: (result: ExportResult) => void) =>
        send(items, (result) => {
          this.note(result);
          done(result);
        }),
    });
  }

  private note({ code, error }: ExportResult): void {
    const { endpoint } = this;
    if (code === ExportResultCode.SUCCESS) {
      if (this.failures > 0) log.info({ endpoint, failures: this.failures }, 'telemetry export resumed');
      this.failures = 0;
      this.lastLogged = Number.NEGATIVE_INFINITY;
      return;
    }
    this.failures += 1;
    if (performance.now() - this.lastLogged < everyMs) return;
    this.lastLogged = performance.now();
    const reason = error?.message || (error as NodeJS.ErrnoException | undefined)?.code;
    log.warn({ endpoint, failures: this.failures, reason }, 'telemetry export failed; requests are not affected');
  }
}
