import { keptForm } from '../../../shared/drafts/drafts.js';

type Side = 'actsFor' | 'helpers';

/** The name of the draft of a proposal on the sheet of a user. */
export const proposalDraft = (user: string, side: Side): string => `proposal:${user}:${side}`;

/** The side whose proposal was not sent, as the page was left; undefined without one. */
export function sideOfDraft(user: string): Side | undefined {
  const kept = keptForm(`proposal:${user}:`);
  return (['actsFor', 'helpers'] as const).find((side) => kept === proposalDraft(user, side));
}
