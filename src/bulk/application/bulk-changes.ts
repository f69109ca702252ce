import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { BulkProgress, BulkSubjectName, PendingBulkChange } from '../../contract/clients/bulk.js';
import { message } from '../../contract/messages/message.js';
import { type BulkFailure, mostInBulk } from '../../contract/rules/bulk.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Job, type JobFailure, type JobKind, oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { Languages } from '../../platform/language/languages.js';
import { log } from '../../platform/logging/log.js';
import { requestContext } from '../../platform/request/scope.js';
import type { SignedInUser } from '../../platform/request/signed-in-user.js';
import { BulkCalls, type ChangedItem } from '../domain/bulk-call.js';

export type { ChangedItem };

/** The call that began the change, as which a job continues with it. */
interface BulkWork {
  id: string;
  userId: string;
  issuer: string;
  address: string;
  correlationId: string;
  /** Tag of the language of mails. */
  language: string;
}

/** An attempt renews its lease while it works. */
const bulkJobs: JobKind<BulkWork> = {
  name: 'bulk-changes',
  batchSize: 1,
  leaseSeconds: 30,
  lookEveryMs: 3_000,
  firstPauseSeconds: 2,
  longestPauseSeconds: 60,
};

/** Seconds in which the call itself may finish a short change. */
const jobDelaySeconds = 2;

/** How the rows of one kind are changed, and how that is undone. Both run in the transaction of the batch. */
export interface BulkSubject {
  apply(target: string, request: object, caller: SignedInUser): Promise<Applied>;
  restore(item: ChangedItem, request: object): Promise<Undone>;
}

type MayAct = (caller: SignedInUser) => Promise<boolean>;

/** A call that changes many: its id was made by the caller, so that a repeated call is the same one. */
export interface BulkOrder {
  id: string;
  caller: SignedInUser;
  /** Name of a {@link BulkSubject}. */
  subject: BulkSubjectName;
  /** The request; another call must not have the same id. */
  request: object;
}

/** The outcome for one of many. */
export type Applied =
  | { outcome: 'changed'; name: string; version?: number; before?: unknown }
  | { outcome: 'unchanged'; name: string }
  | { outcome: 'failed'; name: string | null; reason: BulkFailure };

/** The outcome of an undo for one that was changed. */
export type Undone = { outcome: 'restored'; hasLostAccess?: boolean } | { outcome: 'kept'; reason: BulkFailure };

/** Each batch is a transaction. */
const batchLength = 20;
/** A call returns after about this time; the caller repeats it until all are done. */
const turnMs = 1500;

/**
 * Changes of many rows by one call, in batches: what becomes of each one is stored in the transaction that changes it.
 * So a call whose answer was lost, or whose node was killed, is repeated without doing anything twice, and an undo
 * reverts exactly what was changed.
 */
@Injectable()
export class BulkChanges implements OnModuleInit {
  private readonly subjects = new Map<string, BulkSubject>();
  private readonly admissions = new Map<boolean, MayAct>();

  constructor(
    private readonly calls: BulkCalls,
    private readonly languages: Languages,
    private readonly jobs: Jobs,
    private readonly runner: JobRunner,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.runner.register(bulkJobs, { attempt: oneByOne((job) => this.goOnWith(job)) });
  }

  /** Before the application has started. */
  register(name: BulkSubjectName, subject: BulkSubject): void {
    this.subjects.set(name, subject);
  }

  /** Says for users, or for services with a management token, who may still change anything when a job continues. */
  admit(services: boolean, mayAct: MayAct): void {
    this.admissions.set(services, mayAct);
  }

  /** Carries out as much as one turn allows. `targets` is asked by the first call only. */
  async carryOut(call: BulkOrder, targets: () => Promise<string[]>): Promise<BulkProgress> {
    if (!isUUID(call.id, 'all')) throw new Problem('invalid', message('bulk-id-invalid'));
    await this.database.transaction(() => this.begin(call, targets));
    await this.takeTurn(call.id);
    return this.progress(call.id);
  }

  /** The changes of this caller that have not ended, and those whose end the caller has not seen. */
  async pending({ id: actor }: SignedInUser): Promise<PendingBulkChange[]> {
    const changes: PendingBulkChange[] = [];
    for (const call of await this.calls.pendingOf(actor)) {
      changes.push({ ...call, progress: await this.progress(call.id) });
    }
    return changes;
  }

  /** Stops the rest of a change; finished parts stay. Idempotent. */
  async stop(id: string, { id: actor }: SignedInUser): Promise<BulkProgress> {
    await this.calls.cancel(id, actor);
    await this.assertOwn(id, actor);
    return this.progress(id);
  }

  /** The caller has seen how it ended: it is not told again. */
  async markSeen(id: string, { id: actor }: SignedInUser): Promise<void> {
    await this.assertOwn(id, actor);
    await this.calls.markSeen(id);
  }

  /** Reverts what was changed; what is left of the call is not done any more. */
  async undo(id: string, { id: actor }: SignedInUser): Promise<BulkProgress> {
    await this.database.transaction(async () => {
      if (await this.calls.markUndone(id, actor)) await this.addJob(id, actor);
      else await this.assertOwn(id, actor);
    });
    await this.takeTurn(id);
    return this.progress(id);
  }

  private async begin({ id, caller, subject, request }: BulkOrder, targets: () => Promise<string[]>): Promise<void> {
    const call = { id, actor: caller.id, isService: caller.isService === true, subject, request };
    if (!(await this.calls.add(call))) {
      if (await this.calls.isSame(call)) return;
      throw new Problem('conflict', message('bulk-id-used'));
    }
    const found = await targets();
    if (found.length > mostInBulk) throw new Problem('invalid', message('bulk-too-many', { maximum: mostInBulk }));
    await this.calls.addTargets(id, found);
    await this.calls.removeOld();
    await this.addJob(id, caller.id);
  }

  private async addJob(id: string, userId: string): Promise<void> {
    const { issuer = '', address = '', correlationId = '', language } = requestContext.getStore() ?? {};
    const work = { id, userId, issuer, address, correlationId, language: language?.().tag ?? 'en' };
    await this.jobs.add(bulkJobs, work, { delaySeconds: jobDelaySeconds });
  }

  /**
   * A job does the rest as the call that began it, whatever becomes of the page. That of a node that died is claimed by
   * another one.
   */
  private goOnWith(job: Job<BulkWork>): Promise<JobFailure | undefined> {
    const { id, language: tag, ...caller } = job.payload;
    const language = () => this.languages.language([tag]);
    return requestContext.run({ ...caller, language }, async () => {
      while (await this.database.repeatableTransaction(() => this.nextBatch(id))) {
        // Another node continues with it.
        if (!(await this.runner.renew(bulkJobs, job))) return { reason: 'the lease was lost' };
      }
      log.info({ bulkChange: id }, 'bulk change ended');
      return undefined;
    });
  }

  private async takeTurn(id: string): Promise<void> {
    const end = Date.now() + turnMs;
    while ((await this.database.repeatableTransaction(() => this.nextBatch(id))) && Date.now() < end);
  }

  /**
   * Changes or restores the next rows in the caller's transaction; returns false when nothing is left, or it was
   * stopped. Those of one call are locked in the order of their ids, one batch after another. A caller who may not
   * change anything any more stops it.
   */
  private async nextBatch(id: string): Promise<boolean> {
    const call = await this.calls.underWayForChange(id);
    const subject = this.subjects.get(call?.subject ?? '');
    if (!call || !subject) return false;
    const caller: SignedInUser = { id: call.actor, userType: 'Admin', ...(call.isService && { isService: true }) };
    const mayAct = this.admissions.get(call.isService);
    if (mayAct && !(await mayAct(caller))) {
      await this.calls.forbid(id);
      return false;
    }
    const items = await this.calls.nextItems(id, call.undone, batchLength);
    const done: object[] = [];
    for (const item of items) {
      const outcome = call.undone
        ? { ...item, ...restored(await subject.restore(item, call.request)) }
        : await subject.apply(item.target, call.request, caller);
      done.push({ target: item.target, ...outcome });
    }
    await this.calls.settle(id, done);
    return items.length === batchLength;
  }

  private async assertOwn(id: string, actor: string): Promise<void> {
    if (!(await this.calls.isOf(id, actor))) throw new Problem('not-found', message('bulk-gone'));
  }

  private async progress(id: string): Promise<BulkProgress> {
    const progress = await this.calls.progressOf(id);
    if (!progress) throw new Problem('not-found', message('bulk-gone'));
    return progress;
  }
}

function restored(undone: Undone): object {
  const hasLostAccess = undone.outcome === 'restored' && undone.hasLostAccess;
  return { ...undone, ...(hasLostAccess && { outcome: 'restored-without-access' }) };
}
