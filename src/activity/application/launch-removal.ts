import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type Repeated, repeat } from '../../platform/process/repeat.js';
import { Launches } from '../domain/launch.js';

const everyMs = 60_000;
const batch = 1_000;
/** Pause between two batches, for waiting requests. */
const pauseMs = 100;

/** Removes launches that are older than `activity.keepDays`, in small batches. */
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
  async remove(): Promise<number> {
    const time = new Date(Date.now() - this.config.activity.keepDays * 86_400_000);
    let removed = 0;
    for (let count = batch; count === batch && !this.isStopped; removed += count) {
      if (removed > 0) await sleep(pauseMs, undefined, { ref: false });
      count = await this.launches.removeBefore(time, batch);
    }
    return removed;
  }
}
