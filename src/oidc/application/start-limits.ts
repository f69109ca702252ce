import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';
import { ClientAddress } from '../../platform/http/client-address.js';
import { Limits } from '../../platform/limits/limits.js';

/** What leaves a row behind although nobody has said yet who they are. */
export type Start = 'authorization' | 'pushed-authorization' | 'external-sign-in' | 'sign-out';

/**
 * How often one address may begin what nobody has to end: each start is a row until it expires, and who makes them needs no
 * account (security S-04). Each kind is counted by itself, so that nobody is kept from signing out by those who sign in.
 */
@Injectable()
export class StartLimits {
  constructor(
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
    private readonly config: Config,
  ) {}

  /** Takes one; when there are none left, says for how many seconds. */
  async secondsToWait(start: Start, request: IncomingMessage): Promise<number | undefined> {
    const limit = { name: `start-${start}`, points: this.config.limits.startsPerMinute, seconds: 60 };
    try {
      await this.limits.takeOften(limit, this.addresses.limitKey(request));
      return undefined;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'throttled') return error.options.retryAfterSeconds;
      throw error;
    }
  }
}
