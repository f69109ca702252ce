import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EndCode } from '../../contract/activity/end-causes.js';
import { AccessReceipts } from '../../oidc-store/infrastructure/access-receipts.js';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Database } from '../../platform/database/database.js';
import { type Job, type JobKind, oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { log } from '../../platform/logging/log.js';
import { requestContext } from '../../platform/request/scope.js';
import { type Client, Clients } from '../domain/client.js';

/**
 * An end that is final when the time to undo it is over: of all that was granted to a client, or of the client itself.
 */
interface Ending {
  /** Id of the row. */
  client: string;
  ends: 'access' | 'client';
  /** Id of the administrator; absent for a command. */
  actorId?: string | undefined;
}

/** The causes that end the access of a client. */
export type ClientEnd = Extract<EndCode, `ended-with-client${string}`>;

/**
 * Attempts remove their job first, in their transaction, so another node skips it even if an attempt outlasts the
 * lease.
 */
const endingJobs: JobKind<Ending> = {
  name: 'client-endings',
  batchSize: 1,
  leaseSeconds: 30,
  lookEveryMs: 3_000,
  firstPauseSeconds: 5,
  longestPauseSeconds: 300,
};

/** Seconds in which the end of a client can be undone: ten of the notice, and some for the way. */
const undoSeconds = 15;

/**
 * Ends of clients that can be undone for {@link undoSeconds}. Until then the client is disabled, which refuses its
 * tokens and starts, and nothing is removed. Then a job ends it. All methods run in the caller's transaction, which has
 * locked the client.
 */
@Injectable()
export class ClientEndings implements OnModuleInit {
  constructor(
    private readonly clients: Clients,
    private readonly jobs: Jobs,
    private readonly runner: JobRunner,
    private readonly database: Database,
    private readonly revocations: Revocations,
    private readonly receipts: AccessReceipts,
  ) {}

  onModuleInit(): void {
    this.runner.register(endingJobs, {
      attempt: oneByOne(async (job) => {
        await this.database.repeatableTransaction(() => this.end(job));
        return undefined;
      }),
    });
  }

  async begin({ id }: Client, ends: Ending['ends']): Promise<void> {
    // A node of the previous version enables a client without taking back the job.
    await this.jobs.withdraw(endingJobs, keyOf(id, ends));
    const ending = { client: id, ends, actorId: requestContext.getStore()?.userId };
    await this.jobs.add(endingJobs, ending, { key: keyOf(id, ends), delaySeconds: undoSeconds });
  }

  /**
   * Takes back the end of access that has not begun ('waiting'). If it is 'due', it is too late: the caller ends the
   * access. Undefined if none was begun, or it is done.
   */
  takeBackAccess({ id }: Client): Promise<'waiting' | 'due' | undefined> {
    return this.jobs.withdraw(endingJobs, keyOf(id, 'access'));
  }

  /** Takes back the deletion; false if it is too late: it continues. */
  takeBackDeletion({ id }: Client): Promise<boolean> {
    return this.jobs.withdrawWaiting(endingJobs, keyOf(id, 'client'));
  }

  /** Revokes all that was granted to the client. Each user whose access ends gets a receipt. */
  async endAccess(client: Client, by: ClientEnd, actorId = requestContext.getStore()?.userId): Promise<void> {
    await this.jobs.withdraw(endingJobs, keyOf(client.id, 'access'));
    await this.receipts.prepareForEveryone(client, await this.revocations.revokeClient(client.clientId, by), actorId);
  }

  /**
   * The end when the time to undo it is over. The job is removed in the transaction that ends: an undo has removed it
   * before and nothing ends, or finds the end done. The client is locked before the job, as use cases do.
   */
  private async end(job: Job<Ending>): Promise<void> {
    const { client: id, ends, actorId } = job.payload;
    const client = await this.clients.findToEnd(id);
    if (!(await this.jobs.take(job)) || !client) return;
    // A node of the previous version may have enabled it without taking back the job.
    if (ends === 'access' && client.enabled) return;
    await this.endAccess(client, ends === 'client' ? 'ended-with-client' : 'ended-with-client-disabled', actorId);
    if (ends === 'client') await this.clients.remove(client);
    log.info({ client: client.clientId, ends }, 'client ended');
  }
}

function keyOf(id: string, ends: Ending['ends']): string {
  return `${ends} ${id}`;
}
