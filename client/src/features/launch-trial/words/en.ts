import { addWords } from '../../../shared/i18n/add-words.js';

/** The page on which an administrator tries a launch. */
const launchTrial = {
  title: 'Try a launch',
  titleOf: 'Trial of {{client}}',
  position: 'Position',
  lead: 'Runs the settings of {{client}} without the app: the request, the consent page, the token and one request for data. Everything issued ends with the trial.',
  disabled: 'This client is disabled. Enable it to try a launch.',
  noType: 'This client has no type. Set its type to try a launch.',
  toClient: 'Open the client',
  kind: 'Kind of launch',
  kinds: {
    standalone: 'Opened by a user',
    ehr: 'Launched by an EHR',
    service: 'Back-end service, without a user',
  },
  base: 'FHIR server',
  withoutTenant: 'The one without a tenant',
  patient: 'Test patient',
  noPatient: 'None',
  noPatients:
    'No test patient is configured for this FHIR server (fhir.testPatients). Without one, scopes for a patient are cut and no data is read.',
  patientHelp: 'A trial reads data of test patients only.',
  scopes: 'Scopes',
  scopesHelp: 'What the client may have, in its widest form. Untick what the app does not ask for.',
  further: 'Further scopes',
  furtherHelp: 'Separated by spaces. The result says which of them are cut, and why.',
  noScope: 'Choose at least one scope.',
  start: 'Start the trial',
  arriving: 'The answer has arrived …',
  again: 'Try again',
  activity: 'Open in Activity',
  states: {
    waiting: 'This trial waits for its answer, in the tab or window in which it was started.',
    running: 'This trial is running.',
    interrupted: 'This trial was interrupted, and has no result. What was issued ends by itself within minutes.',
    expired: 'This trial was not continued within 15 minutes, and has ended.',
  },
  request: 'Request',
  requestHelp:
    'The parameters as the app would send them. The portal has put its own page in the place of the redirect URI.',
  decisions: 'Decisions',
  refusedWith: 'Refused with {{code}}',
  kept: 'Kept',
  cut: 'Cut or changed',
  nothingCut: 'No scope was cut or changed.',
  nothingKept: 'No scope was granted.',
  noRecord: 'The launch is not recorded (yet), so the reasons are not known here.',
  change: 'What to change: {{text}}',
  toField: 'Change it',
  token: 'Token',
  noToken: 'No token was issued.',
  response: 'Members of the answer',
  tokenHeader: 'Header of the access token',
  tokenClaims: 'Claims of the access token',
  opaque: 'The access token is not a JWT: its value is withheld, and says nothing by itself.',
  withheld: 'Signatures and usable values are withheld. The token was revoked when the trial ended.',
  idTokenClaims: 'Claims of the ID token',
  read: 'FHIR read',
  status: 'Status',
  resourceType: 'Resource type',
  count: 'Number of resources',
  unknown: 'Not known',
  readHelp:
    'Through the gateway, with the token of the trial. Contents are not shown. The access is recorded as a test by you.',
  notRead: {
    'no-token': 'Nothing was read, because there was no token.',
    'no-patient': 'Nothing was read: no test patient was chosen, and data of other patients is not used.',
    'no-scope': 'Nothing was read: the scopes permit no request about the test patient.',
    'no-gateway': 'Nothing was read: the gateway is turned off, and apps call the FHIR server themselves.',
    management: 'Nothing was read: this client manages the portal and gets no health data.',
  },
  limits: 'Not tried',
  limitsHelp: 'The portal takes the place of the app and of its user.',
  limit: {
    'client-authentication': 'Whether the app authenticates with its secret or key.',
    'request-object': 'Whether the app pushes or signs its request.',
    'second-factor': 'The second factor of the user.',
    'sign-in': 'The sign-in and the disclaimers of the user: you are signed in already.',
    'refresh-token': 'Refreshing: an app would get a refresh token with these scopes, a trial gets none.',
  },
} as const;

export const words = addWords({ launchTrial });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'launch-trial': typeof words;
  }
}
