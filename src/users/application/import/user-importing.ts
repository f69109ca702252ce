import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../../contract/messages/message.js';
import { addressKey } from '../../../contract/rules/users/email.js';
import type { ImportCheck, ImportProgress, KnownLine } from '../../../contract/users/user-import.js';
import { ManagedObjects } from '../../../managed/application/managed-objects.js';
import { Audit } from '../../../platform/audit/audit.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { type Job, type JobFailure, type JobKind, oneByOne } from '../../../platform/jobs/job-kind.js';
import { JobRunner } from '../../../platform/jobs/job-runner.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Languages } from '../../../platform/language/languages.js';
import { log } from '../../../platform/logging/log.js';
import { requestContext } from '../../../platform/request/scope.js';
import type { SignedInUser } from '../../../platform/request/signed-in-user.js';
import { type ImportLine, type ImportOutcome, type UndoOutcome, UserImports } from '../../domain/user-import.js';
import { AccountRemoval } from '../deletion/account-removal.js';
import { UserInvitations } from '../user-invitations.js';
import { type FileLine, type ImportFile, readImport } from './import-file.js';

/** The request that began the import: its users are created and invited as by it. */
interface ImportWork {
  id: string;
  userId: string;
  issuer: string;
  address: string;
  correlationId: string;
  /** Tag of the language of the invitations. */
  language: string;
}

/** An attempt renews its lease while it works; that of a node that died ends soon. */
const importJobs: JobKind<ImportWork> = {
  name: 'user-imports',
  batchSize: 1,
  leaseSeconds: 30,
  lookEveryMs: 3_000,
  firstPauseSeconds: 2,
  longestPauseSeconds: 60,
};

/** Its key is the id of the import, as that of the import's own job. */
const undoJobs: JobKind<ImportWork> = { ...importJobs, name: 'undone-user-imports' };

/** Users in a transaction. */
const batchLength = 20;

/**
 * Imports of users by administrators: checked first, then done by a job, whatever becomes of the page. The job works
 * batch after batch, each a transaction, as by the request that began it.
 */
@Injectable()
export class UserImporting implements OnModuleInit {
  constructor(
    private readonly imports: UserImports,
    private readonly invitations: UserInvitations,
    private readonly removal: AccountRemoval,
    private readonly managed: ManagedObjects,
    private readonly languages: Languages,
    private readonly runner: JobRunner,
    private readonly jobs: Jobs,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.register(importJobs, 'users were imported', (id) => this.inviteNext(id));
    this.register(undoJobs, 'an import of users was undone', (id) => this.undoNext(id));
  }

  /** The changes that an import of this file would make; changes nothing. */
  async check(csv: string): Promise<ImportCheck> {
    const file = await readImport(csv);
    const { fresh, known } = await this.splitByAccount(file);
    const { separator, header, ignored, wrong } = file;
    const total = file.lines.length + wrong.length;
    return { separator, header, ignored, total, fresh: fresh.length, known, wrong };
  }

  /**
   * Begins the import of the lines that are right and whose address has no account. The caller makes the id: a repeated
   * call begins nothing.
   */
  async begin(id: string, csv: string, caller: SignedInUser): Promise<ImportProgress> {
    if (!isUUID(id, 'all')) throw new Problem('invalid', message('bulk-id-invalid'));
    const fileHash = sha256(csv);
    const file = await readImport(csv);
    await this.database.transaction(async () => {
      const { fresh, known } = await this.splitByAccount(file);
      if (!(await this.imports.begin(id, caller.id, fileHash, fresh))) {
        if (await this.imports.isSame(id, caller.id, fileHash)) return;
        throw new Problem('conflict', message('bulk-id-used'));
      }
      await this.jobs.add(importJobs, workOf(id, caller.id), { key: id });
      const detail = { import: id, new: fresh.length, known: known.length, wrong: file.wrong.length };
      await this.audit.record({ type: 'users.imported', outcome: 'success', detail });
    });
    return this.progress(id, caller);
  }

  /** Ends the import after its present batch; users that it has created stay. A repeated call stops nothing. */
  async stop(id: string, caller: SignedInUser): Promise<ImportProgress> {
    await this.database.transaction(() => this.endImport(id, caller));
    return this.progress(id, caller);
  }

  /** Stops the import, and begins to remove the users that it has created. A repeated call begins nothing. */
  async undo(id: string, caller: SignedInUser): Promise<ImportProgress> {
    await this.database.transaction(async () => {
      await this.endImport(id, caller);
      if (!(await this.imports.requestUndo(id))) return;
      await this.jobs.add(undoJobs, workOf(id, caller.id), { key: id });
      await this.audit.record({ type: 'users.import-undone', outcome: 'success', detail: { import: id } });
    });
    return this.progress(id, caller);
  }

  async progress(id: string, { id: actor }: SignedInUser): Promise<ImportProgress> {
    const progress = isUUID(id, 'all') ? await this.imports.progress(id, actor) : undefined;
    if (!progress) throw importGone();
    return progress;
  }

  private async endImport(id: string, { id: actor }: SignedInUser): Promise<void> {
    const left = isUUID(id, 'all') ? await this.imports.stop(id, actor) : undefined;
    if (left === undefined) throw importGone();
    if (left === 0) return;
    await this.audit.record({ type: 'users.import-stopped', outcome: 'success', detail: { import: id, left } });
  }

  private async splitByAccount({ lines }: ImportFile): Promise<{ fresh: FileLine[]; known: KnownLine[] }> {
    const addressOf = ({ form }: FileLine) => addressKey(form.email);
    const accounts = await this.imports.knownAddresses(lines.map(addressOf));
    const known = lines.filter((line) => accounts.has(addressOf(line)));
    return {
      fresh: lines.filter((line) => !accounts.has(addressOf(line))),
      known: known.map(({ line, form }) => ({ line, email: form.email })),
    };
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
    for (const { line, account } of created) outcomes.push({ line, outcome: await this.undoLine(account) });
    await this.imports.settleUndo(id, outcomes);
    return created.length === batchLength;
  }

  private async undoLine(account: string): Promise<UndoOutcome['outcome']> {
    try {
      const user = await this.removal.lock(account);
      if (!user.isInvited) return 'used';
      if (user.version > 1 || (await this.managed.isManaged('account', account))) return 'changed';
      await this.removal.remove(user, 'user.deleted');
    } catch (error) {
      // Deleted by another call in between.
      if (!(error instanceof Problem && error.kind === 'not-found')) throw error;
    }
    return 'removed';
  }
}

const importGone = () => new Problem('not-found', message('import-gone'));

function workOf(id: string, userId: string): ImportWork {
  const context = requestContext.getStore();
  if (!context) throw new Error('an import needs the context of a request');
  const { issuer, address, correlationId, language } = context;
  return { id, userId, issuer, address, correlationId, language: language().tag };
}
