import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '../../../platform/errors.js';
import { type ImportLine, type ImportOutcome, UserImports } from '../../domain/user-import.js';
import { UserInvitations } from '../user-invitations.js';
import { batchLength, ImportBatches } from './import-batches.js';
import { importJobs } from './user-importing.js';

/**
 * Creates and invites the users of an import. The outcome of a line is stored in the transaction that creates its user and posts the
 * invitation: however often the job is attempted, no user is created or invited twice.
 */
@Injectable()
export class UserImportJobs implements OnModuleInit {
  constructor(
    private readonly batches: ImportBatches,
    private readonly imports: UserImports,
    private readonly invitations: UserInvitations,
  ) {}

  onModuleInit(): void {
    this.batches.register(importJobs, 'users were imported', (id) => this.batch(id));
  }

  private async batch(id: string): Promise<boolean> {
    const lines = await this.imports.nextForChange(id, batchLength);
    const outcomes: ImportOutcome[] = [];
    for (const line of lines) outcomes.push(await this.create(line));
    await this.imports.settle(id, outcomes);
    return lines.length === batchLength;
  }

  private async create({ line, form }: ImportLine): Promise<ImportOutcome> {
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
}
