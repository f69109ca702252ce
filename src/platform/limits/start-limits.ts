import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Problem } from '../errors.js';
import { Limits } from './limits.js';

/** Kinds of request that store a row before authentication. */
export type Start = 'authorization' | 'pushed-authorization' | 'external-sign-in' | 'forgotten-password' | 'sign-out';

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
  ) {}

  /** Consumes one start of an address (`ClientAddress.limitKey`). Returns the seconds to wait when the limit is exhausted, otherwise undefined. */
  async secondsToWait(start: Start, addressKey: string): Promise<number | undefined> {
    const limit = { name: `start-${start}`, points: this.config.limits.startsPerMinute, seconds: 60 };
    try {
      await this.limits.takeOften(limit, addressKey);
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'throttled') return error.options.retryAfterSeconds;
      throw error;
    }
  }
}
