import { Injectable } from '@nestjs/common';
import { mostProblemsKept } from '../../contract/audit.js';
import { ReadinessNotes } from '../domain/readiness-notes.js';

/** Notes of commands for the readiness report. */
@Injectable()
export class OperatorNotes {
  constructor(private readonly notes: ReadinessNotes) {}

  async backupWasTaken(): Promise<void> {
    await this.notes.write('backup');
  }

  /** Ends and blocks of relationships that came after a restored backup were done again. */
  async restoreWasCompared(): Promise<void> {
    await this.notes.write('restore-compared');
  }

  /** The Audit page shows the first problems, as those of a verification that was begun there. */
  async auditWasVerified(problems: string[]): Promise<void> {
    await this.notes.write('audit-verified', { problems: problems.length, list: problems.slice(0, mostProblemsKept) });
  }
}
