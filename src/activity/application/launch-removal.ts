import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { removeInPortions } from '../../platform/process/portions.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { Launches } from '../domain/launch.js';

const everyMs = 60_000;
const batch = 1_000;

/** Removes launches that are older than `activity.keepDays`. */
@Injectable()
export class LaunchRemoval implements OnModuleInit, OnModuleDestroy {
  private removals: Repeated | undefined;
  private isStopped = false;

  constructor(
    private readonly launches: Launches,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.removals = repeat(everyMs, 'removal of old launches failed; will retry', async () => {
      await this.remove();
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await this.removals?.stop();
  }

  /** Removes all that are too old; returns their number. */
  remove(): Promise<number> {
    const time = new Date(Date.now() - this.config.activity.keepDays * 86_400_000);
    return removeInPortions(
      batch,
      (most) => this.launches.removeBefore(time, most),
      () => this.isStopped,
    );
  }
}
