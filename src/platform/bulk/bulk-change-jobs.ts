import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Job, type JobFailure, oneByOne } from '../jobs/job-kind.js';
import { JobRunner } from '../jobs/job-runner.js';
import { Languages } from '../language/languages.js';
import { log } from '../logging/log.js';
import { requestContext } from '../request/scope.js';
import { BulkChanges, type BulkWork, bulkJobs } from './bulk-changes.js';

/**
 * Goes on with changes of many, whatever becomes of the page that began them: batch after batch, each a transaction, as by the call that
 * began it. The job of a node that died is claimed by another one when its lease ends.
 */
@Injectable()
export class BulkChangeJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly bulk: BulkChanges,
    private readonly database: Database,
    private readonly languages: Languages,
  ) {}

  onModuleInit(): void {
    this.runner.register(bulkJobs, { attempt: oneByOne((job) => this.goOnWith(job)) });
  }

  private goOnWith(job: Job<BulkWork>): Promise<JobFailure | undefined> {
    const { id, language: tag, ...caller } = job.payload;
    const language = () => this.languages.language([tag]);
    return requestContext.run({ ...caller, language }, async () => {
      while (await this.database.repeatableTransaction(() => this.bulk.nextBatch(id))) {
        // Another node goes on with it.
        if (!(await this.runner.renew(bulkJobs, job))) return { reason: 'the lease was lost' };
      }
      log.info({ bulkChange: id }, 'bulk change ended');
      return undefined;
    });
  }
}
