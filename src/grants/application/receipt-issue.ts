import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { message } from '../../contract/messages/message.js';
import type { Receipt, TakenBackBy } from '../../contract/own-record/receipts.js';
import {
  AccessReceipts,
  type ReceiptBatch,
  receiptJobs,
  type UserReceipt,
} from '../../oidc-store/infrastructure/access-receipts.js';
import type { EndedAccess } from '../../oidc-store/infrastructure/ended-access.js';
import { Audit, type AuditEvent } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { AuditedActivity, type LastRead } from '../domain/audited-activity.js';

interface TakenBack {
  accountId: string;
  clientId: string;
  /** The decision that was forgotten. */
  consent: { grantedAt: Date; applied: boolean } | undefined;
  ended: Omit<EndedAccess, 'accountId'> | undefined;
  by: Exclude<TakenBackBy, 'everyone' | 'representation'>;
  at: Date;
  /**
   * Id of the relationship, where the access was to a patient for whom the user acts; null for the user's own record;
   * undefined where all access of the app ended.
   */
  representation?: string | null;
}

/**
 * Issues receipts of users whose apps lost their access: to one user by {@link issue}, or by a job to all who lost the
 * access of an app together.
 */
@Injectable()
export class ReceiptIssue implements OnModuleInit {
  constructor(
    private readonly receipts: AccessReceipts,
    private readonly clients: RegisteredClients,
    private readonly activity: AuditedActivity,
    private readonly notices: SecurityNotices,
    private readonly audit: Audit,
    private readonly database: Database,
    private readonly runner: JobRunner,
  ) {}

  onModuleInit(): void {
    this.runner.register(receiptJobs, {
      attempt: oneByOne(async ({ payload }) => {
        await this.issueAll(payload);
        return undefined;
      }),
    });
  }

  /**
   * In the transaction that ends the access. Returns the time; the account is not deleted before the transaction has
   * ended.
   */
  async begin(accountId: string): Promise<Date> {
    const at = await this.receipts.lockAccount(accountId);
    if (!at) throw new Problem('unauthenticated', message('sign-in-needed'));
    return at;
  }

  /** As {@link AccessReceipts.lastId}. */
  lastId(accountId: string, clientId: string, of: string | null): Promise<string | undefined> {
    return this.receipts.lastId(accountId, clientId, of);
  }

  /** Stores, records and mails the receipt, in the transaction that ends the access; returns its id. */
  async issue({ accountId, clientId, consent, ended = nothing, by, at, representation }: TakenBack): Promise<string> {
    const app = (await this.clients.findByClientId(clientId)) ?? { clientId, clientName: clientId };
    const drawn = this.receipts.newReceipt(
      app,
      { ...ended, since: earlierOf(ended.since, consent?.grantedAt) },
      { by, at, representation: representation ?? undefined },
    );
    if (drawn.since !== null && drawn.lastAccess !== undefined) {
      const after = new Date(drawn.since);
      const spans = [{ accountId, clientId, after, ...(representation !== undefined && { of: representation }) }];
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

  /** A batch that is repeated changes nothing. */
  private async issueAll({ receipts, actorId }: ReceiptBatch): Promise<void> {
    const complete = await this.withActivity(receipts);
    await this.database.transaction(async () => {
      const stored = await this.receipts.add(complete);
      await this.audit.recordAll(stored.map((one) => receiptEvent(one, actorId)));
    });
  }

  private async withActivity(receipts: UserReceipt[]): Promise<UserReceipt[]> {
    const spans = receipts.map(({ accountId, receipt: { clientId, since, endedAt, representation } }) => ({
      ...{ accountId, clientId, after: new Date(since ?? endedAt), until: new Date(endedAt) },
      ...(representation !== undefined && { of: representation }),
    }));
    const [accesses, reads] = [await this.activity.lastAccesses(spans), await this.activity.lastReads(spans)];
    return receipts.map(({ accountId, receipt }, index) => {
      if (receipt.lastAccess === undefined) return { accountId, receipt };
      const lastAccess = accesses[index]?.toISOString() ?? null;
      return { accountId, receipt: { ...receipt, lastAccess, lastRead: lastReadOf(reads[index]) } };
    });
  }
}

const nothing = { signIns: 0, accessTokens: 0, refreshTokens: 0, offline: false, since: null, lastToken: null };

function earlierOf(one: Date | null, other: Date | undefined): Date | null {
  return one && other ? new Date(Math.min(one.getTime(), other.getTime())) : (one ?? other ?? null);
}

/**
 * The entry of a receipt in the audit record: the acting user is an administrator or the user, the subject is the user.
 */
function receiptEvent({ accountId, receipt }: UserReceipt, userId?: string): AuditEvent {
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
function lastReadOf(read: LastRead | undefined): NonNullable<Receipt['lastRead']> | null {
  return read ? { ...read, at: read.at.toISOString() } : null;
}

/**
 * The values of the receipt's template, which is the mail and the text to download. An absent value is an empty text.
 */
export function receiptMail(receipt: Receipt) {
  const time = (iso: string | null | undefined) => (iso ? new Date(iso) : '');
  return {
    app: receipt.clientName,
    number: receipt.id,
    by: receipt.by,
    ended: new Date(receipt.endedAt),
    since: time(receipt.since),
    signIns: receipt.signIns,
    accessTokens: receipt.accessTokens ?? '',
    refreshTokens: receipt.refreshTokens,
    agreements: receipt.agreements,
    offline: receipt.offline,
    areRecorded: receipt.lastAccess !== undefined,
    lastAccess: time(receipt.lastAccess),
    readAt: time(receipt.lastRead?.at),
    readKinds: { kinds: kindsByNumber(receipt) },
    readUnattended: receipt.lastRead?.unattended ?? false,
    until: time(receipt.worksUntil),
    company: receipt.legalCompanyName ?? '',
    contact: receipt.contactUsUrl ?? '',
  };
}

/** The kinds that the app read last, those with the most resources first. */
function kindsByNumber({ lastRead }: Receipt): string[] {
  return Object.entries(lastRead?.kinds ?? {})
    .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([kind]) => kind);
}
