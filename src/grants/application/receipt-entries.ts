import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  AccessReceipts,
  type ReceiptBatch,
  receiptJobs,
  type UserReceipt,
} from '../../oidc-store/infrastructure/access-receipts.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { AuditedActivity } from '../domain/audited-activity.js';
import { lastReadOf, receiptEvent } from './receipt-event.js';

/** Stores and records the receipts of people who lost an app's access together. A batch that is repeated changes nothing. */
@Injectable()
export class ReceiptEntries implements OnModuleInit {
  constructor(
    private readonly receipts: AccessReceipts,
    private readonly activity: AuditedActivity,
    private readonly audit: Audit,
    private readonly database: Database,
    private readonly runner: JobRunner,
  ) {}

  onModuleInit(): void {
    this.runner.register(receiptJobs, {
      attempt: oneByOne(async ({ payload }) => {
        await this.store(payload);
        return undefined;
      }),
    });
  }

  private async store({ receipts, actorId }: ReceiptBatch): Promise<void> {
    const complete = await this.withActivity(receipts);
    await this.database.transaction(async () => {
      const stored = await this.receipts.add(complete);
      await this.audit.recordAll(stored.map((one) => receiptEvent(one, actorId)));
    });
  }

  private async withActivity(receipts: UserReceipt[]): Promise<UserReceipt[]> {
    const spans = receipts.map(({ accountId, receipt: { clientId, since, endedAt } }) => {
      return { accountId, clientId, after: new Date(since ?? endedAt), until: new Date(endedAt) };
    });
    const [accesses, reads] = [await this.activity.lastAccesses(spans), await this.activity.lastReads(spans)];
    return receipts.map(({ accountId, receipt }, index) => {
      if (receipt.lastAccess === undefined) return { accountId, receipt };
      const lastAccess = accesses[index]?.toISOString() ?? null;
      return { accountId, receipt: { ...receipt, lastAccess, lastRead: lastReadOf(reads[index]) } };
    });
  }
}
