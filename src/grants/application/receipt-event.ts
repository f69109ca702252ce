import type { PersonsReceipt } from '../../oidc-store/infrastructure/access-receipts.js';
import type { AuditEvent } from '../../platform/audit/audit.js';

/** The entry of a receipt in the audit record: the acting user is an administrator or the person, the subject is the person. */
export function receiptEvent({ accountId, receipt }: PersonsReceipt, userId?: string): AuditEvent {
  const { id: receiptId, clientId, ...facts } = receipt;
  return {
    type: 'app.revoked',
    outcome: 'success',
    userId,
    subject: accountId,
    clientId,
    detail: { receiptId, ...facts },
  };
}
