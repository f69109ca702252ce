import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { message } from '../../contract/messages/message.js';
import type { TakenBackBy } from '../../contract/own-record/receipts.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import type { EndedAccess } from '../../oidc-store/infrastructure/ended-access.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { AuditedActivity } from '../domain/audited-activity.js';
import { lastReadOf, receiptEvent } from './receipt-event.js';
import { receiptMail } from './receipt-mail.js';

interface TakenBack {
  accountId: string;
  clientId: string;
  /** The decision that was forgotten. */
  consent: { grantedAt: Date; applied: boolean } | undefined;
  ended: Omit<EndedAccess, 'accountId'> | undefined;
  by: Exclude<TakenBackBy, 'everyone'>;
  at: Date;
}

/** Issues the receipt of one person whose app lost its access. All methods run in the transaction that ends the access. */
@Injectable()
export class ReceiptIssue {
  constructor(
    private readonly receipts: AccessReceipts,
    private readonly clients: RegisteredClients,
    private readonly activity: AuditedActivity,
    private readonly notices: SecurityNotices,
    private readonly audit: Audit,
  ) {}

  /** Returns the time; the account is not deleted before the transaction has ended. */
  async begin(accountId: string): Promise<Date> {
    const at = await this.receipts.lockAccount(accountId);
    if (!at) throw new Problem('unauthenticated', message('sign-in-needed'));
    return at;
  }

  lastId(accountId: string, clientId: string): Promise<string | undefined> {
    return this.receipts.lastId(accountId, clientId);
  }

  /** Stores, records and mails the receipt; returns its id. */
  async issue({ accountId, clientId, consent, ended = nothing, by, at }: TakenBack): Promise<string> {
    const app = (await this.clients.find(clientId)) ?? { clientId, clientName: clientId };
    const drawn = this.receipts.newReceipt(
      app,
      { ...ended, since: earlierOf(ended.since, consent?.grantedAt) },
      { by, at },
    );
    if (drawn.since !== null && drawn.lastAccess !== undefined) {
      const spans = [{ accountId, clientId, after: new Date(drawn.since) }];
      const [lastRead] = await this.activity.lastReads(spans);
      // After the reads, so that it is not earlier than the last of them.
      const [lastAccess] = await this.activity.lastAccesses(spans);
      drawn.lastAccess = lastAccess?.toISOString() ?? null;
      drawn.lastRead = lastReadOf(lastRead);
    }
    drawn.agreements = consent?.applied ? 1 : 0;
    const mailed = await this.notices.send(accountId, { name: 'receipt', ...receiptMail(drawn) });
    const receipt = { ...drawn, mailed };
    await this.receipts.add([{ accountId, receipt }]);
    await this.audit.record(receiptEvent({ accountId, receipt }));
    return receipt.id;
  }
}

const nothing = { signIns: 0, accessTokens: 0, refreshTokens: 0, offline: false, since: null, lastToken: null };

function earlierOf(one: Date | null, other: Date | undefined): Date | null {
  return one && other ? new Date(Math.min(one.getTime(), other.getTime())) : (one ?? other ?? null);
}
