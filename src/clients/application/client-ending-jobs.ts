import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type Job, oneByOne } from '../../platform/jobs/job-kind.js';
import { JobRunner } from '../../platform/jobs/job-runner.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { log } from '../../platform/logging/log.js';
import { Clients } from '../domain/client.js';
import { ClientEndings, type Ending, endingJobs } from './client-endings.js';

/**
 * Ends clients whose time to undo is over. The job is removed in the transaction that ends: an undo has removed it
 * before and nothing ends, or finds the end done. The client is locked before the job, as use cases do.
 */
@Injectable()
export class ClientEndingJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly jobs: Jobs,
    private readonly clients: Clients,
    private readonly endings: ClientEndings,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.runner.register(endingJobs, {
      attempt: oneByOne(async (job) => {
        await this.database.repeatableTransaction(() => this.end(job));
        return undefined;
      }),
    });
  }

  private async end(job: Job<Ending>): Promise<void> {
    const { client: id, ends, actorId } = job.payload;
    const client = await this.clients.findToEnd(id);
    if (!(await this.jobs.take(job)) || !client) return;
    // A node of the previous version may have enabled it without taking back the job.
    if (ends === 'access' && client.enabled) return;
    await this.endings.endAccess(
      client,
      ends === 'client' ? 'ended-with-client' : 'ended-with-client-disabled',
      actorId,
    );
    if (ends === 'client') await this.clients.remove(client);
    log.info({ client: client.clientId, ends }, 'client ended');
  }
}
