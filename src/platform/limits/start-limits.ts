import { Injectable } from '@nestjs/common';
import { identifyLaunch, launchIdOfDay } from '../activity/launch-notes.js';
import { StrayRecords } from '../activity/stray-records.js';
import { Config } from '../config/config.js';
import { Secrets } from '../crypto/secrets.js';
import { Problem } from '../errors.js';
import { Limits } from './limits.js';

/** Kinds of request that store a row before authentication. */
export type Start =
  | 'authorization'
  | 'posted-authorization'
  | 'pushed-authorization'
  | 'external-sign-in'
  | 'forgotten-password'
  | 'sign-out'
  | 'posted-sign-out';

/**
 * Limits how often one address may start requests that need no completion: each start is a row until it expires, and
 * needs no account (security S-04). Each kind is counted by itself, so that sign-ins cannot prevent other users from
 * signing out.
 */
@Injectable()
export class StartLimits {
  constructor(
    private readonly limits: Limits,
    private readonly config: Config,
    private readonly secrets: Secrets,
    private readonly stray: StrayRecords,
  ) {}

  /**
   * Consumes one start of an address (`ClientAddress.limitKey`). Returns the seconds to wait when the limit is
   * exhausted, otherwise undefined.
   */
  async secondsToWait(start: Start, addressKey: string): Promise<number | undefined> {
    const limit = { name: `start-${start}`, points: this.most, seconds: 60 };
    try {
      await this.limits.takeReservedPoint(limit, addressKey);
      return undefined;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'throttled') throw error;
      return error.options.retryAfterSeconds ?? limit.seconds;
    }
  }

  /** The starts of a kind that one address has in a minute. */
  get most(): number {
    return this.config.limits.startsPerMinute;
  }

  /** The refused starts of one address, fault and day are one record: a caller that continues fills no table. */
  identifyRefused(addressKey: string, fault: string): void {
    identifyLaunch({ id: this.stray.idFor('start', launchIdOfDay(this.secrets, 'starts', addressKey, fault)) });
  }
}
