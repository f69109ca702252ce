import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { OidcRecords } from './oidc-records.js';

const everyMs = 60_000;
const batch = 5_000;
/** Pause between two batches, for waiting requests. */
const pauseMs = 100;

/**
 * Removes expired rows: in small batches, so that no statement delays others for long, but all of them, however many
 * there are.
 */
@Injectable()
export class Sweeper implements OnModuleInit, OnModuleDestroy {
  private sweeps: Repeated | undefined;
  private isStopped = false;

  constructor(
    private readonly records: OidcRecords,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.sweeps = repeat(everyMs, 'sweep of expired rows failed; will retry', async () => {
      await this.sweep();
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await this.sweeps?.stop();
  }

  /** Removes all expired rows; returns their number. */
  async sweep(): Promise<number> {
    let removed = 0;
    for (let count = batch; count === batch && !this.isStopped; removed += count) {
      if (removed > 0) await sleep(pauseMs, undefined, { ref: false });
      count = await this.records.sweep(batch, this.config.activity.keepDays);
    }
    return removed;
  }
}
