import { accountSettings } from './account-settings.js';
import { clientForm } from './client-form.js';
import { clients, tags } from './clients.js';
import { consent } from './consent.js';
import { dashboard } from './dashboard.js';
import { disclaimers } from './disclaimers.js';
import { discovery } from './discovery.js';
import { claims, conflict, drafts, unsaved } from './forms.js';
import { grants } from './grants.js';
import { launchContext } from './launch-context.js';
import { list } from './list.js';
import { scopes } from './scopes.js';
import { users } from './users.js';

/** The texts of the flow and the areas, which their shells load. */
export const signedInTexts = {
  accountSettings,
  disclaimers,
  consent,
  launchContext,
  grants,
  discovery,
  clients,
  clientForm,
  tags,
  dashboard,
  list,
  unsaved,
  drafts,
  conflict,
  claims,
  users,
  scopes,
} as const;
