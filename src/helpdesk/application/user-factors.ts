import { Injectable } from '@nestjs/common';
import { PasskeyRegistry } from '../../passkeys/application/passkey-registry.js';
import { TwoFactorReset } from '../../two-factor/application/two-factor-reset.js';

/** The second factor and the passkeys of a user who has lost them. */
@Injectable()
export class UserFactors {
  constructor(
    private readonly twoFactor: TwoFactorReset,
    private readonly passkeys: PasskeyRegistry,
  ) {}

  /** In the caller's transaction. The password stays; a mailed link alone is enough for a new one. */
  reset(accountId: string): Promise<boolean> {
    return this.twoFactor.reset(accountId, () => this.passkeys.removeAll(accountId));
  }
}
