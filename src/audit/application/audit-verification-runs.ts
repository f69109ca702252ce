import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuditState } from '../../contract/audit.js';
import { message } from '../../contract/messages/message.js';
import { Audit } from '../../platform/audit/audit.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import type { Job, JobKind, JobOutcomes } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { log } from '../../platform/logging/log.js';
import { AuditSeals, type AuditVerdict } from '../domain/audit-seals.js';
import { AuditVerifications } from '../domain/audit-verification.js';

interface Order {
  /** Or the name of a service. */
  accountId: string;
}

/** A verification takes minutes or hours; its node renews the lease, and another one begins again when it has died. */
export const auditVerification: JobKind<Order> = {
  name: 'audit-verification',
  batchSize: 1,
  leaseSeconds: 45,
  lookEveryMs: 15_000,
  firstPauseSeconds: 10,
  longestPauseSeconds: 60,
};

const renewEveryMs = 2_000;
const problemsRecorded = 20;
/** Seals whose entries are in a proof. */
const sealsProven = 10;

/** Verifies the audit record when an administrator asks for it: one verification at a time, on any node. */
@Injectable()
export class AuditVerificationRuns implements OnModuleInit {
  private readonly verdicts = new Map<string, AuditVerdict>();

  constructor(
    private readonly verifications: AuditVerifications,
    private readonly seals: AuditSeals,
    private readonly audit: Audit,
    private readonly work: JobRunner,
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.work.register(auditVerification, {
      attempt: (jobs) => this.attempt(jobs),
      whenDone: (job) => this.end(job),
    });
  }

  state(): Promise<AuditState> {
    return this.verifications.state();
  }

  /** While one is under way, another one would say the same. */
  async begin(accountId: string): Promise<AuditState> {
    await this.database.transaction(async () => {
      if (await this.verifications.begin(accountId)) await this.jobs.add(auditVerification, { accountId });
    });
    return this.verifications.state();
  }

  /** The broken seals that the last verification found, with the entries that they cover as they are now. */
  async proof(userId: string): Promise<object> {
    const { lastVerified } = await this.verifications.state();
    if (!lastVerified || lastVerified.count === 0) throw new Problem('not-found', message('audit-proof-missing'));
    const numbers = lastVerified.problems.flatMap((problem) => /^seal (\d{1,18}) /.exec(problem)?.[1] ?? []);
    await this.audit.record({
      type: 'audit.exported',
      outcome: 'success',
      userId,
      detail: numbers.length > 0 ? { proof: numbers } : {},
    });
    const seals = [];
    for (const number of numbers.slice(0, sealsProven)) seals.push(await this.seals.evidence(number));
    return { madeAt: new Date().toISOString(), lastVerified, seals };
  }

  private async attempt([job]: Job<Order>[]): Promise<JobOutcomes> {
    if (!job) return [];
    let done = 0;
    const beat = async () => {
      if (await this.work.renew(auditVerification, job)) await this.verifications.progress(done);
    };
    const beats = setInterval(() => {
      void this.database
        .outsideTransaction(beat)
        .catch((err) => log.warn({ err }, 'storing the progress of an audit verification failed'));
    }, renewEveryMs);
    try {
      this.verdicts.set(
        job.id,
        await this.seals.verify(() => {
          done += 1;
        }),
      );
    } finally {
      clearInterval(beats);
    }
    return [undefined];
  }

  private async end({ id, payload: { accountId } }: Job<Order>): Promise<void> {
    const verdict = this.verdicts.get(id);
    this.verdicts.delete(id);
    if (!verdict) return;
    const { events, seals, problems } = verdict;
    await this.verifications.end(accountId, verdict);
    await this.audit.record({
      type: 'audit.verified',
      outcome: problems.length === 0 ? 'success' : 'failure',
      userId: accountId,
      detail: { events, seals, count: problems.length, problems: problems.slice(0, problemsRecorded) },
    });
    if (problems.length > 0) log.error({ problems: problems.length }, 'audit verification found a broken record');
  }
}
