import { accountSettings } from './account-settings.js';
import { disclaimers } from './disclaimers.js';
import { claims, conflict, drafts, unsaved } from './forms.js';
import { grants } from './grants.js';
import { launchContext } from './launch-context.js';
import { list } from './list.js';
import { scopes } from './scopes.js';
import { sessionEnd } from './session-end.js';

/** The texts of the flow and the areas, which their shells load. */
export const signedInTexts = {
  sessionEnd,
  accountSettings,
  disclaimers,
  launchContext,
  grants,
  list,
  unsaved,
  drafts,
  conflict,
  claims,
  scopes,
} as const;
