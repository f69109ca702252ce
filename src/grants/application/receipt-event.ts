import type { Receipt } from '../../contract/own-record/receipts.js';
import type { UserReceipt } from '../../oidc-store/infrastructure/access-receipts.js';
import type { AuditEvent } from '../../platform/audit/audit.js';
import type { LastRead } from '../domain/audited-activity.js';

/** The entry of a receipt in the audit record: the acting user is an administrator or the person, the subject is the person. */
export function receiptEvent({ accountId, receipt }: UserReceipt, userId?: string): AuditEvent {
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

/** The last visit that read data, as a receipt has it. */
export function lastReadOf(read: LastRead | undefined): NonNullable<Receipt['lastRead']> | null {
  return read ? { ...read, at: read.at.toISOString() } : null;
}
