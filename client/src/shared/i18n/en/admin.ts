import { activity, attention } from './activity.js';
import { dashboard } from './dashboard.js';
import { secretRotation } from './secret-rotation.js';

const navigation = {
  label: 'Main navigation',
  search: 'Search',
  searchByControl: 'Search (Ctrl K)',
  searchByCommand: 'Search (⌘ K)',
  dashboard: 'Dashboard',
  users: 'User management',
  clients: 'Client management',
  oauth: 'OAuth 2.0 configuration',
  openid: 'OpenID configuration',
  smart: 'SMART configuration',
  api: 'API',
} as const;

const undo = {
  act: 'Undo',
  hint: 'To undo, press Control and Z within {{seconds}} seconds.',
  done: 'Undone.',
  failed: 'This could not be undone. Try again.',
} as const;

/** On the pages that have to say that the FHIR server does not answer. */
const serverState = {
  setupInstructions: 'Read how to set it up',
} as const;

/** The texts that only administrators see. */
export const adminTexts = {
  activity,
  attention,
  dashboard,
  navigation,
  secretRotation,
  serverState,
  undo,
} as const;
