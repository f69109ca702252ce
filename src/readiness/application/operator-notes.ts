import { Injectable } from '@nestjs/common';
import { ReadinessNotes } from '../domain/readiness-notes.js';

/** What commands note for the readiness report. */
@Injectable()
export class OperatorNotes {
  constructor(private readonly notes: ReadinessNotes) {}

  async backupWasTaken(): Promise<void> {
    await this.notes.write('backup');
  }

  async auditWasVerified(problems: number): Promise<void> {
    await this.notes.write('audit-verified', { problems });
  }
}
