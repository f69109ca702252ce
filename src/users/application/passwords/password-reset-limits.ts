import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { StartLimits } from '../../../platform/limits/start-limits.js';

const requestsPerAccount: Limit = { name: 'forgot-account', points: 5, seconds: 3600 };

/**
 * Limits the mails that forgotten passwords cause. All users of a hospital may come from one address; a client that
 * asks there for many accounts gets a few mails for each.
 */
@Injectable()
export class PasswordResetLimits {
  constructor(
    private readonly starts: StartLimits,
    private readonly limits: Limits,
  ) {}

  /** Counts one request; returns false when the limit is exhausted, which the caller must not be told. */
  async allow(email: string, caller: string): Promise<boolean> {
    if ((await this.starts.secondsToWait('forgotten-password', caller)) !== undefined) return false;
    try {
      await this.limits.takePoint(requestsPerAccount, sha256(email.toLowerCase()));
      return true;
    } catch (error) {
      if (error instanceof Problem && error.kind === 'throttled') return false;
      throw error;
    }
  }
}
