import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { removeInPortions } from '../../platform/process/portions.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { OidcRecords } from './oidc-records.js';

const everyMs = 60_000;
const batch = 5_000;

/** Removes expired rows. */
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
  sweep(): Promise<number> {
    return removeInPortions(
      batch,
      (most) => this.records.sweep(most, this.config.activity.keepDays),
      () => this.isStopped,
    );
  }
}
