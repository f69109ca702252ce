import { Injectable } from '@nestjs/common';
import { TwoFactors } from '../domain/two-factor.js';

/** The second factor and the recovery codes of a user who has lost them. */
@Injectable()
export class LostTwoFactor {
  constructor(private readonly twoFactors: TwoFactors) {}

  /** In the caller's transaction. Returns true if there was a second factor. */
  remove(accountId: string): Promise<boolean> {
    return this.twoFactors.remove(accountId);
  }
}
