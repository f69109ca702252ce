import { keptForm } from '../../../shared/drafts/drafts.js';
import type { Act } from './relationship-item.js';

/** The forms about relationships on the sheet of a user. */
export type RelationshipForm =
  | { kind: 'propose'; side: 'actsFor' | 'helpers' }
  | { kind: 'link' }
  | { kind: 'act'; act: Act; relationship: string };

const prefixOf = (user: string) => `relationships:${user}:`;

/** The name of the draft of a form. */
export function draftName(user: string, form: RelationshipForm): string {
  return prefixOf(user) + JSON.stringify(form);
}

/** The form that was not sent, as the page was left; undefined without one. */
export function formOfDraft(user: string): RelationshipForm | undefined {
  const kept = keptForm(prefixOf(user));
  return kept === undefined ? undefined : (JSON.parse(kept.slice(prefixOf(user).length)) as RelationshipForm);
}
