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

/** Changes of many clients or users that go on without the page that began them. */
const changes = {
  enable: 'Enable clients',
  disable: 'Disable clients',
  tag: 'Change the tags of clients',
  delete: 'Delete clients',
  invite: 'Send invitations again',
  running: '{{what}}: {{number}} of {{total}} done',
  undoing: '{{what}}, taken back: {{number}} of {{total}} so far',
  ended: '{{what}}: {{number}} of {{total}} changed',
  endedSome: '{{what}}: {{number}} of {{total}} changed, {{failed}} could not be changed',
  undone: '{{what}}: taken back for {{number}} of {{total}}',
  canceled: '{{what}}: stopped after {{number}} of {{total}}. The rest was not done.',
  forbidden: '{{what}}: stopped after {{number}} of {{total}}, because this account may not do it any more.',
  stop: 'Stop',
} as const;

/** On the pages that have to say that the FHIR server does not answer. */
const serverState = {
  setupInstructions: 'Read how to set it up',
} as const;

/** The texts that only administrators see. */
export const adminTexts = {
  activity,
  attention,
  changes,
  dashboard,
  navigation,
  secretRotation,
  serverState,
  undo,
} as const;
