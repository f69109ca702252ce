import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { Languages } from '../../../platform/http/languages.js';
import { type Job, type JobFailure, oneByOne } from '../../../platform/jobs/job-kind.js';
import { JobRunner } from '../../../platform/jobs/job-runner.js';
import { log } from '../../../platform/logging/log.js';
import { requestContext } from '../../../platform/scope.js';
import { type ImportLine, type ImportOutcome, UserImports } from '../../domain/user-import.js';
import { UserInvitations } from '../user-invitations.js';
import { type ImportWork, importJobs } from './user-importing.js';

/** Each batch is a transaction. */
const batchLength = 20;

/**
 * Creates and invites the users of an import. What becomes of a line is stored in the transaction that creates its user and posts the
 * invitation: however often the job is attempted, no user is created or invited twice.
 */
@Injectable()
export class UserImportJobs implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly imports: UserImports,
    private readonly invitations: UserInvitations,
    private readonly database: Database,
    private readonly languages: Languages,
  ) {}

  onModuleInit(): void {
    this.runner.register(importJobs, { attempt: oneByOne((job) => this.work(job)) });
  }

  private work(job: Job<ImportWork>): Promise<JobFailure | undefined> {
    const { id, language: tag, ...caller } = job.payload;
    const language = () => this.languages.language([tag]);
    return requestContext.run({ ...caller, language }, async () => {
      while (await this.batch(id)) {
        // Another node goes on with it.
        if (!(await this.runner.renew(importJobs, job))) return { reason: 'the lease was lost' };
      }
      log.info({ import: id }, 'users were imported');
      return undefined;
    });
  }

  /** Returns false when no line is left. */
  private batch(id: string): Promise<boolean> {
    return this.database.repeatableTransaction(async () => {
      const lines = await this.imports.nextForChange(id, batchLength);
      const outcomes: ImportOutcome[] = [];
      for (const line of lines) outcomes.push(await this.create(line));
      await this.imports.settle(id, outcomes);
      return lines.length === batchLength;
    });
  }

  private async create({ line, form }: ImportLine): Promise<ImportOutcome> {
    try {
      await this.invitations.inviteUser(form);
      return { line, outcome: 'created' };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.kind === 'conflict') return { line, outcome: 'known' };
      if (error.kind === 'invalid') return { line, outcome: 'refused' };
      throw error;
    }
  }
}
