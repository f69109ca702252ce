import { Injectable } from '@nestjs/common';
import { parseReference } from '../../contract/activity/reference.js';
import type { LaunchView } from '../../contract/activity.js';
import { message } from '../../contract/messages/message.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { type Launch, Launches } from '../domain/launch.js';
import { launchView } from '../domain/launch-views.js';

const weekMs = 7 * 86_400_000;

/** One launch with everything that happened in it, for administrators. */
@Injectable()
export class LaunchDetails {
  constructor(
    private readonly launches: Launches,
    private readonly config: Config,
  ) {}

  async find(reference: string): Promise<LaunchView> {
    const idPrefix = parseReference(reference);
    if (idPrefix === undefined) throw new Problem('invalid', message('launch-reference-invalid'));
    const launch = await this.launches.findByPrefix(idPrefix);
    if (!launch)
      throw new Problem('not-found', message('launch-gone', { duration: this.config.activity.keepDays * 86_400 }));
    return launchView(launch, await this.sameCause(launch));
  }

  /** This launch counts, also if it is older. */
  private async sameCause(launch: Launch): Promise<number> {
    if (launch.cause === null) return 0;
    const since = new Date(Date.now() - weekMs);
    return (await this.launches.countOfCause(launch, since)) + (launch.startedAt < since ? 1 : 0);
  }
}
