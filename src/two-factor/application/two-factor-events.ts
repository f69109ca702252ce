import { Injectable } from '@nestjs/common';
import { Audit } from '../../platform/audit/audit.js';
import { SecurityNotices } from '../../users/application/security-notices.js';

/** Records events of a second factor, and notifies its user of those that another person may have caused. */
@Injectable()
export class TwoFactorEvents {
  constructor(
    private readonly audit: Audit,
    private readonly notices: SecurityNotices,
  ) {}

  async recordChange(accountId: string, enabled: boolean): Promise<void> {
    const type = enabled ? 'two-factor.enabled' : 'two-factor.disabled';
    await this.audit.record({ type, outcome: 'success', userId: accountId });
    await this.notices.send(accountId, { name: 'two-factor-changed', enabled });
  }

  async codesMade(accountId: string): Promise<void> {
    await this.audit.record({ type: 'recovery-codes.made', outcome: 'success', userId: accountId });
    await this.notices.send(accountId, { name: 'passkey-changed', event: 'codes-made' });
  }

  /** `recoveryCodesLeft` is given when a recovery code was used. */
  async recordProof(accountId: string, by: string, recoveryCodesLeft: number | undefined): Promise<void> {
    const detail = { by, recoveryCodesLeft };
    await this.audit.record({ type: 'two-factor.proven', outcome: 'success', userId: accountId, detail });
    if (recoveryCodesLeft === undefined) return;
    await this.notices.send(accountId, { name: 'recovery-code-used', left: recoveryCodesLeft });
  }

  /** `isLast` for the wrong code that uses up the attempts. */
  async recordRefusal(accountId: string, by: string, isLast: boolean): Promise<void> {
    await this.audit.recordRefusal({ type: 'two-factor.proven', userId: accountId, detail: { by } });
    if (isLast) await this.notices.send(accountId, { name: 'many-failures' });
  }
}
