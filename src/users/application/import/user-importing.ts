import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { message } from '../../../contract/messages/message.js';
import { addressKey } from '../../../contract/rules/users/email.js';
import type { ImportCheck, ImportProgress, KnownLine } from '../../../contract/users/user-import.js';
import { Audit } from '../../../platform/audit/audit.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import type { JobKind } from '../../../platform/jobs/job-kind.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { requestContext } from '../../../platform/request/scope.js';
import type { SignedInUser } from '../../../platform/request/signed-in-user.js';
import { UserImports } from '../../domain/user-import.js';
import { type FileLine, type ImportFile, readImport } from './import-file.js';

/** The request that began the import: its users are created and invited as by it. */
export interface ImportWork {
  id: string;
  userId: string;
  issuer: string;
  address: string;
  correlationId: string;
  /** Tag of the language of the invitations. */
  language: string;
}

/** An attempt renews its lease while it works; that of a node that died ends soon. */
export const importJobs: JobKind<ImportWork> = {
  name: 'user-imports',
  batchSize: 1,
  leaseSeconds: 30,
  lookEveryMs: 3_000,
  firstPauseSeconds: 2,
  longestPauseSeconds: 60,
};

/** Its key is the id of the import, as that of the import's own job. */
export const undoJobs: JobKind<ImportWork> = { ...importJobs, name: 'undone-user-imports' };

/** Imports of users by administrators: checked first, then done by a job, whatever becomes of the page. */
@Injectable()
export class UserImporting {
  constructor(
    private readonly imports: UserImports,
    private readonly jobs: Jobs,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

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
}

const importGone = () => new Problem('not-found', message('import-gone'));

function workOf(id: string, userId: string): ImportWork {
  const context = requestContext.getStore();
  if (!context) throw new Error('an import needs the context of a request');
  const { issuer, address, correlationId, language } = context;
  return { id, userId, issuer, address, correlationId, language: language().tag };
}
