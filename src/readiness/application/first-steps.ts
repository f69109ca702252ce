import { Injectable } from '@nestjs/common';
import type { FirstSteps } from '../../contract/readiness.js';
import { ReadinessNotes } from '../domain/readiness-notes.js';

/** The first steps of a portal, which stand on the dashboard until they are done or put away. */
@Injectable()
export class FirstStepsOfPortal {
  constructor(private readonly notes: ReadinessNotes) {}

  async forAccount(accountId: string): Promise<FirstSteps> {
    const [mail, steps] = await Promise.all([this.notes.testMail(), this.notes.firstSteps(accountId)]);
    return { ...steps, mailArrived: mail?.confirmedSecondsAgo !== undefined };
  }

  change(isPutAway: boolean): Promise<void> {
    return this.notes.putFirstStepsAway(isPutAway);
  }
}
