import type { ChosenResource } from './launch.js';

/** The page to which the answer to a trial returns. No client registers it, and no other request may name it. */
export const trialPagePath = '/admin/try-launch';

/** The launch of a client that an administrator tries (decision 0074). */
export interface Trial {
  id: string;
  /** The administrator. */
  accountId: string;
  /** Uid of the session in which the trial began; the request continues in no other. */
  sessionUid: string;
  /** Id of the test patient in context. */
  patient?: string;
}

/** In a trial that no EHR launches, the test patient is in the place of the one that a user chooses. */
export function patientOfTrial({ patient: id }: Trial): ChosenResource[] {
  return id === undefined ? [] : [{ type: 'Patient', id }];
}
