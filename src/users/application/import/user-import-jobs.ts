import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ManagedObjects } from '../../../managed/application/managed-objects.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { type Job, type JobFailure, type JobKind, oneByOne } from '../../../platform/jobs/job-kind.js';
import { JobRunner } from '../../../platform/jobs/job-runner.js';
import { Languages } from '../../../platform/language/languages.js';
import { log } from '../../../platform/logging/log.js';
import { requestContext } from '../../../platform/request/scope.js';
import type { User } from '../../domain/user.js';
import { type ImportLine, type ImportOutcome, type UndoOutcome, UserImports } from '../../domain/user-import.js';
import { AccountRemoval } from '../deletion/account-removal.js';
import { UserInvitations } from '../user-invitations.js';
import { type ImportWork, importJobs, undoJobs } from './user-importing.js';

/** Users in a transaction. */
const batchLength = 20;

/** Work on an import in the background: batch after batch, each a transaction, as by the request that began it. */
@Injectable()
export class UserImportJobs implements OnModuleInit {
  constructor(
    private readonly imports: UserImports,
    private readonly invitations: UserInvitations,
    private readonly removal: AccountRemoval,
    private readonly managed: ManagedObjects,
    private readonly languages: Languages,
    private readonly runner: JobRunner,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.register(importJobs, 'users were imported', (id) => this.inviteNext(id));
    this.register(undoJobs, 'an import of users was undone', (id) => this.undoNext(id));
  }

  /** `batch` returns false when nothing of this import is left; `end` is for the log. */
  private register(kind: JobKind<ImportWork>, end: string, batch: (id: string) => Promise<boolean>): void {
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
        // Another node continues with it.
        if (!(await this.runner.renew(kind, job))) return { reason: 'the lease was lost' };
      }
      log.info({ import: id }, end);
      return undefined;
    });
  }

  /**
   * Creates and invites users. The outcome of a line is stored in the transaction that creates its user and posts the
   * invitation: however often the job is attempted, no user is created or invited twice.
   */
  private async inviteNext(id: string): Promise<boolean> {
    const lines = await this.imports.nextForChange(id, batchLength);
    const outcomes: ImportOutcome[] = [];
    for (const line of lines) outcomes.push(await this.invite(line));
    await this.imports.settle(id, outcomes);
    return lines.length === batchLength;
  }

  private async invite({ line, form }: ImportLine): Promise<ImportOutcome> {
    try {
      const { id: account } = await this.invitations.inviteUser(form);
      return { line, outcome: 'created', account };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.kind === 'conflict') return { line, outcome: 'known' };
      if (error.kind === 'invalid') return { line, outcome: 'refused' };
      throw error;
    }
  }

  /**
   * Removes the users that an import has created, unless they have used their invitation or were changed since. Each is
   * locked before this is decided, so that an activation at the same time is either before it, and the user stays, or
   * finds no account.
   */
  private async undoNext(id: string): Promise<boolean> {
    const created = await this.imports.nextToUndo(id, batchLength);
    const outcomes: UndoOutcome[] = [];
    for (const { line, account } of created) outcomes.push({ line, outcome: await this.undo(account) });
    await this.imports.settleUndo(id, outcomes);
    return created.length === batchLength;
  }

  private async undo(account: string): Promise<UndoOutcome['outcome']> {
    try {
      const user = await this.removal.lock(account);
      if (isUsed(user)) return 'used';
      if (user.version > 1 || (await this.managed.isManaged('account', account))) return 'changed';
      await this.removal.remove(user, 'user.deleted');
    } catch (error) {
      // Deleted by another call in between.
      if (!(error instanceof Problem && error.kind === 'not-found')) throw error;
    }
    return 'removed';
  }
}

const isUsed = ({ emailConfirmed, isExternal, passwordHash }: User) =>
  emailConfirmed || isExternal || passwordHash !== null;
