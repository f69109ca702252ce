import { addWords } from '../../../shared/i18n/add-words.js';

const dashboard = {
  title: 'Dashboard',
  readiness: 'Readiness report',
  checkedToday: 'FHIR server checked today, {{time}}',
  checkedOn: 'FHIR server checked on {{moment}}',
  setupTitle: 'Finish setting up',
  setupProgress: '{{done}} of {{total}} steps done',
  done: 'Done',
  userStep: 'Create a user',
  userStepHelp: 'At least one user created',
  addUser: 'Add User',
  clientStep: 'Create a client',
  clientStepHelp: 'At least one client created',
  addClient: 'Add Client',
  firstSteps: 'First steps',
  firstStepsLead: 'Worth doing before users sign in. This list goes away when all is done.',
  putAway: 'Hide',
  putAwayDone: 'First steps hidden',
  fhirServerStep: 'Connect the FHIR server',
  fhirServerStepHelp: 'It answers, and its capabilities are read',
  fhirServerAction: 'How to connect',
  waitsForServer: 'Waits for the FHIR server',
  mailStep: 'Send a test mail',
  mailStepHelp: 'Invitations and new passwords go out by mail',
  mailAction: 'Send it',
  testMailSent: 'A test mail will be sent to your address. Follow the link in it.',
  brandingStep: 'Name and colors of your organization',
  brandingStepHelp: 'Try them here, then put them into the configuration',
  brandingAction: 'Try it',
  secondFactorStep: 'Protect your account',
  secondFactorStepHelp: 'With a second factor: an app on your phone',
  secondFactorAction: 'Set up',
  overview: 'Overview',
  users: 'Users configured',
  usersHelp: 'Patients and practitioners',
  clients: 'Clients configured',
  clientsHelp: 'OAuth and SMART clients',
  server: 'FHIR server',
  up: 'Up',
  down: 'Down',
  connected: 'Connected',
  disconnected: 'Disconnected',
  loadingData: 'Loading configuration data',
  connectHelp: 'How to connect the FHIR server',
  actions: 'Actions',
  manageUsers: 'Manage users',
  manageUsersHelp: 'Add people and set their claims',
  manageClients: 'Manage clients',
  manageClientsHelp: 'Register apps and services',
  openid: 'OpenID configuration',
  openidHelp: 'Endpoints, scopes and features',
} as const;

const attention = {
  title: 'What wants attention',
  none: 'No problem was found',
  fhirDown: 'FHIR server down',
  fhirDownText: 'Apps get no health data until it answers again.',
  fhirDownLink: 'Show what failed',
  expired_one: '{{count}} client has an expired secret or key',
  expired_other: '{{count}} clients have expired secrets or keys',
  expiring_one: '{{count}} client has a secret or key that expires within 30 days',
  expiring_other: '{{count}} clients have secrets or keys that expire within 30 days',
  idle_one: '{{count}} client has been unused for 90 days',
  idle_other: '{{count}} clients have been unused for 90 days',
  /** The names of the first ones. */
  firstOf: '{{names}} …',
  secretsLink: 'Show secrets',
  review: 'Review',
  rotationLink: 'Continue',
  secretsUnknown: 'Secrets and keys could not be checked',
  requestsUnknown: 'Requests of users could not be checked',
  lateRequests_one: '{{count}} request of a user is late',
  lateRequests_other: '{{count}} requests of users are late',
  lateRequestsText: 'Users are told that they get an answer in three days.',
  refusalsUnknown: 'Launches could not be checked',
  refused_one: '{{count}} launch was refused or failed today',
  refused_other: '{{count}} launches were refused or failed today',
  refusedText_one: 'Commonest cause: {{cause}}',
  refusedText_other: 'Commonest cause: {{cause}} ({{count}} times)',
  refusedLink: 'Show launches',
} as const;

const activity = {
  perDay: 'Launches per day',
  perDayRange: 'Last 14 days, {{from}} to {{to}}',
  perDayFew: 'Not enough days yet',
  succeededLegend: 'Succeeded',
  refusedLegend: 'Refused or failed',
  day: 'Day',
  todayRefused: 'Today {{refused}} of {{total}} did not succeed',
  todayFine: 'No refused launch is recorded today',
  todayNone: 'No launches today',
  openActivity: 'Open Activity',
} as const;

const secretRotation = {
  attention_one: 'The rotation of {{count}} secret is under way',
  attention_other: 'The rotation of {{count}} secrets is under way',
  attentionMore: 'The rotation of more than {{count}} secrets is under way',
} as const;

export const words = addWords({ secretRotation, activity, dashboard, attention });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    dashboard: typeof words;
  }
}
