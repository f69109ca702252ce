import { Injectable } from '@nestjs/common';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Audit } from '../../platform/audit/audit.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { PendingSignIns } from '../domain/pending-sign-in.js';
import { TwoFactors } from '../domain/two-factor.js';
import { TwoFactorProofs } from './two-factor-proofs.js';

/**
 * The removal of the second factors that a user has lost: the authenticator app with its recovery codes, and the
 * passkeys by `removePasskeys`, which returns their number. It ends all sessions of the account, in the caller's
 * transaction. The password stays; a mailed link alone is enough for a new one, and no session begins.
 */
@Injectable()
export class TwoFactorReset {
  constructor(
    private readonly twoFactors: TwoFactors,
    private readonly pending: PendingSignIns,
    private readonly proofs: TwoFactorProofs,
    private readonly revocations: Revocations,
    private readonly notices: SecurityNotices,
    private readonly audit: Audit,
  ) {}

  /**
   * By another administrator. Ends pending sign-ins as well. Returns false if there was no factor, so that of two
   * callers one does it.
   *
   * A sign-in locks the row of the second factor first; it is finished before this, so that its session ends here, or
   * finds no second factor.
   */
  async reset(accountId: string, removePasskeys: () => Promise<number>): Promise<boolean> {
    const hadFactor = await this.twoFactors.remove(accountId);
    const passkeys = await removePasskeys();
    if (!hadFactor && passkeys === 0) return false;
    await this.pending.removeOfAccount(accountId);
    await this.proofs.unlock(accountId);
    await this.revocations.endSessions(accountId, undefined, 'ended-by-sign-in-methods');
    await this.audit.record({ type: 'two-factor.reset', outcome: 'success', subject: accountId });
    await this.notices.send(accountId, { name: 'two-factor-reset', by: 'administrator' });
    return true;
  }

  /**
   * By a recovery whose waiting time has passed: of the authenticator app with its recovery codes, and not of passkeys.
   * {@link hold} comes first. The caller ends the sessions, since the password changes, too.
   */
  async resetByRecovery(accountId: string): Promise<void> {
    if (!(await this.proofs.isActive(accountId))) return;
    await this.twoFactors.remove(accountId);
    await this.pending.removeOfAccount(accountId);
    await this.proofs.unlock(accountId);
    const detail = { by: 'recovery' };
    await this.audit.record({ type: 'two-factor.reset', outcome: 'success', subject: accountId, detail });
    await this.notices.send(accountId, { name: 'two-factor-reset', by: 'recovery' });
  }

  /** Locks the second factor before the account, as a sign-in does; in the caller's transaction. */
  hold(accountId: string): Promise<void> {
    return this.twoFactors.lock(accountId);
  }

  /** By the operator of the portal, for an administrator. */
  async resetByCommand(accountId: string, removePasskeys: () => Promise<number>): Promise<void> {
    const hadFactor = await this.twoFactors.remove(accountId);
    const passkeys = await removePasskeys();
    await this.revocations.endSessions(accountId, undefined, 'ended-by-sign-in-methods');
    const detail = { by: 'command', passkeys };
    await this.audit.record({ type: 'two-factor.reset', outcome: 'success', subject: accountId, detail });
    if (passkeys > 0 || hadFactor)
      await this.notices.send(accountId, { name: 'two-factor-reset', by: 'administrator' });
  }
}
