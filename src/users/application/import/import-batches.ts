import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Languages } from '../../../platform/http/languages.js';
import { type Job, type JobFailure, type JobKind, oneByOne } from '../../../platform/jobs/job-kind.js';
import { JobRunner } from '../../../platform/jobs/job-runner.js';
import { log } from '../../../platform/logging/log.js';
import { requestContext } from '../../../platform/scope.js';
import type { ImportWork } from './user-importing.js';

/** Users in a transaction. */
export const batchLength = 20;

/** Jobs about an import: batch after batch, each a transaction, as by the request that began it. */
@Injectable()
export class ImportBatches {
  constructor(
    private readonly runner: JobRunner,
    private readonly database: Database,
    private readonly languages: Languages,
  ) {}

  /** `batch` returns false when nothing of this import is left; `end` is for the log. */
  register(kind: JobKind<ImportWork>, end: string, batch: (id: string) => Promise<boolean>): void {
    this.runner.register(kind, { attempt: oneByOne((job) => this.runBatches(kind, job, batch, end)) });
  }

  private runBatches(
    kind: JobKind<ImportWork>,
    job: Job<ImportWork>,
    batch: (id: string) => Promise<boolean>,
    end: string,
  ): Promise<JobFailure | undefined> {
    const { id, language: tag, ...caller } = job.payload;
    const language = () => this.languages.language([tag]);
    return requestContext.run({ ...caller, language }, async () => {
      while (await this.database.repeatableTransaction(() => batch(id))) {
        // Another node goes on with it.
        if (!(await this.runner.renew(kind, job))) return { reason: 'the lease was lost' };
      }
      log.info({ import: id }, end);
      return undefined;
    });
  }
}
