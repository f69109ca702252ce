import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '../../../platform/errors.js';
import { ManagedObjects } from '../../../platform/managed/managed-objects.js';
import type { User } from '../../domain/user.js';
import { type UndoOutcome, UserImports } from '../../domain/user-import.js';
import { AccountRemoval } from '../deletion/account-removal.js';
import { batchLength, ImportBatches } from './import-batches.js';
import { undoJobs } from './user-importing.js';

/**
 * Removes the users that an import has created, unless they have used their invitation or were changed since. Each is locked
 * before this is decided, so that an activation at the same time is either before it, and the user stays, or finds no account.
 */
@Injectable()
export class UserImportUndoJobs implements OnModuleInit {
  constructor(
    private readonly batches: ImportBatches,
    private readonly imports: UserImports,
    private readonly removal: AccountRemoval,
    private readonly managed: ManagedObjects,
  ) {}

  onModuleInit(): void {
    this.batches.register(undoJobs, 'an import of users was undone', (id) => this.batch(id));
  }

  private async batch(id: string): Promise<boolean> {
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
