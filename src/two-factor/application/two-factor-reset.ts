import { Injectable } from '@nestjs/common';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { PendingSignIns } from '../domain/pending-sign-in.js';
import { TwoFactors } from '../domain/two-factor.js';
import { TwoFactorEvents } from './two-factor-events.js';
import { TwoFactorProofs } from './two-factor-proofs.js';

/** The removal of the second factors that a user has lost. */
@Injectable()
export class TwoFactorReset {
  constructor(
    private readonly twoFactors: TwoFactors,
    private readonly pending: PendingSignIns,
    private readonly proofs: TwoFactorProofs,
    private readonly sessions: BrowserSessions,
    private readonly events: TwoFactorEvents,
  ) {}

  /**
   * Ends the second factor, and the passkeys by `removePasskeys`, which returns their number, with all sessions and pending sign-ins of the account, in the caller's transaction. The password stays,
   * and no session begins. Returns false if there was none of them, so that of two callers one does it.
   *
   * A sign-in locks the row of the second factor first; it is finished before this, so that its session ends here, or finds no
   * second factor.
   */
  async reset(accountId: string, removePasskeys: () => Promise<number>): Promise<boolean> {
    const hadFactor = await this.twoFactors.remove(accountId);
    const passkeys = await removePasskeys();
    if (!hadFactor && passkeys === 0) return false;
    await this.pending.removeOfAccount(accountId);
    await this.proofs.unlock(accountId);
    await this.sessions.endAll(accountId, 'ended-by-sign-in-methods');
    await this.events.reset(accountId);
    return true;
  }
}
