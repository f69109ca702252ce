import { Injectable } from '@nestjs/common';
import { Audit } from '../../platform/audit/audit.js';
import { SecurityNotices } from '../../users/application/security-notices.js';

/** Records events of passkeys, and notifies users of those that another person may have caused. */
@Injectable()
export class PasskeyEvents {
  constructor(
    private readonly audit: Audit,
    private readonly notices: SecurityNotices,
  ) {}

  async recordAddition(accountId: string, passkey: string): Promise<void> {
    await this.audit.record({ type: 'passkey.added', outcome: 'success', userId: accountId, detail: { passkey } });
    await this.notices.send(accountId, { name: 'passkey-changed', event: 'added', passkey });
  }

  async recordRemoval(accountId: string, passkey: string): Promise<void> {
    await this.audit.record({ type: 'passkey.removed', outcome: 'success', userId: accountId, detail: { passkey } });
    await this.notices.send(accountId, { name: 'passkey-changed', event: 'removed', passkey });
  }

  /** Records that the signature counter went back: the key may have a copy. The user is notified once. */
  async recordCopy(accountId: string, passkey: string, isFirst: boolean): Promise<void> {
    await this.audit.recordRefusal({ type: 'login', userId: accountId, detail: { reason: 'passkey-cloned', passkey } });
    if (isFirst) await this.notices.send(accountId, { name: 'passkey-changed', event: 'cloned', passkey });
  }
}
