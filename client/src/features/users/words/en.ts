import { addWords } from '../../../shared/i18n/add-words.js';

const users = {
  title: 'Users',
  add: 'Add User',
  import: 'Import',
  search: 'Search by name, email or FHIR reference',
  name: 'Name',
  id: 'ID',
  email: 'Email',
  userType: 'User type',
  signIn: 'Sign-in',
  local: 'Local',
  external: 'Single sign-on',
  confirmation: 'Confirmation',
  confirmed: 'Confirmed',
  notConfirmed: 'Not confirmed',
  claimValue: 'Claim value',
  claimValueHelp: 'For example Patient/77',
  claimChip: 'Claim {{value}}',
  emptyTitle: 'No users yet',
  emptyText: 'Add a patient or practitioner, who then gets an invitation by email.',
  noneFoundTitle: 'No users found',
  noneFoundText: 'No user matches the search and the filters.',
  clear: 'Clear search and filters',
  info: 'User Info',
  edit: 'Edit User',
  account: 'Account',
  noClaims: 'No claims',
  activity: 'Activity',
  lastSignIn: 'Last sign-in',
  noSignIn: 'Never',
  apps: 'Apps',
  noApps: 'No apps',
  appPaused: 'Paused by the user since {{date}}',
  appUsed: 'Last used {{date}}',
  takeBack: 'Take back access',
  takeBackOf: 'Take back access from {{client}}',
  takeBackTitle: 'Take back access from {{client}}?',
  takeBackText: 'Its access for {{name}} ends. {{name}} gets a confirmation, and can sign in with the app again.',
  takenBack: 'Access was taken back.',
  resend: 'Resend',
  resent: 'A new invitation will be sent by mail.',
  editAction: 'Edit',
  delete: 'Delete',
  deleteTitle: 'Delete user {{name}}?',
  deleteText: 'You will not be able to recover this user.',
  save: 'Save changes',
  fixedEmail: 'Cannot be changed',
  fixedType: 'Set when the user was created',
  inviteHelp: 'The user gets an invitation by email to choose a password.',
  added: 'User was successfully added',
  changed: 'User was successfully changed.',
  deleted: 'User was successfully deleted.',
} as const;

const helpdesk = {
  title: 'Signing in',
  free: 'Nothing is known that stops their sign-in.',
  refused: 'Refused sign-ins',
  readiness: 'Readiness report',
  unlock: 'Unlock',
  unlocked: 'The user can try to sign in again.',
  obstacles: {
    incomplete: {
      title: 'The account is not complete',
      text: 'No FHIR record is known for this user. Choose the user type and the record.',
    },
    'deletion-waits': {
      title: 'The user has asked for the deletion of the account',
      text: 'It is locked, and will be deleted on {{until}}. Signing in shows the user how to keep it.',
    },
    'invitation-expired': {
      title: 'The invitation has expired',
      text: 'The link in the mail could be used until {{until}}.',
    },
    'invitation-ended': {
      title: 'The invitation has expired',
      text: 'The link in the mail cannot be used any more.',
    },
    'invitation-waits': {
      title: 'The invitation could not be sent yet',
      text: 'No mail server has taken the mail yet. It is sent by itself once one does.',
    },
    'not-activated': {
      title: 'The invitation has not been accepted yet',
      text: 'The link in the mail can be used until {{until}}.',
    },
    'method-closed': {
      title: 'Passwords are switched off',
      text: 'The configuration of the portal does not let users sign in with a password.',
    },
    'provider-closed': {
      title: 'Their provider is not offered',
      text: 'The provider at which the user signs in is not in the configuration of the portal any more.',
    },
    'password-locked': {
      title: 'Too many wrong passwords',
      text: 'Every attempt is refused until {{until}}.',
    },
    'password-locked-somewhere': {
      title: 'Too many wrong passwords',
      text: 'Attempts from the network in which they were typed are refused until {{until}}.',
    },
    'second-factor-locked': {
      title: 'Too many wrong codes',
      text: 'Every code is refused until {{until}}.',
    },
    'passkey-locked': {
      title: 'Too many wrong passkeys',
      text: 'As a second factor, with a mailed link or in the account settings, passkeys are refused until {{until}}. Signing in with a passkey alone still works.',
    },
    'other-tenant': {
      title: 'Apps refuse the account: its tenant is not configured',
      text: 'The user can sign in here. The tenant claim names no FHIR server of this portal.',
    },
    'no-record': {
      title: 'Apps get no record of this user',
      text: 'The user can sign in. The fhirUser claim does not fit the user type.',
    },
    'records-unreachable': {
      title: 'The FHIR server of the user cannot be reached',
      text: 'The user can sign in here. Apps for which a patient is chosen have to wait.',
    },
  },
  sessions: 'Where they are signed in',
  noSessions: 'No browser is signed in.',
  signedIn: 'Signed in {{at}}',
  lastUsed: 'Last used {{at}}',
  sessionApps: 'Apps: {{apps}}',
  signOut: 'Sign out',
  signOutOf: 'Sign out {{browser}}, signed in {{at}}',
  signOutEverywhere: 'Sign out everywhere',
  signedOut: 'The browser was signed out.',
  signedOutEverywhere: 'The user was signed out everywhere.',
  secondFactor: 'Second factor',
  noSecondFactor: 'None',
  authenticator: 'Authenticator app since {{date}}',
  noPassword: 'No password',
  passkeys_one: '{{count}} passkey',
  passkeys_other: '{{count}} passkeys',
  recoveryCodes_zero: 'No recovery codes left',
  recoveryCodes_one: 'One recovery code left',
  recoveryCodes_other: '{{count}} recovery codes left',
  reset: 'Reset',
  resetFactor: 'Reset second factor',
  resetTitle: 'Reset the second factor of {{name}}?',
  resetPassword: 'Passkeys are removed, too. The password of {{name}} stays, and is then enough to sign in.',
  resetNoPassword:
    'Passkeys are removed. {{name}} has no password, and chooses one with the link of “Forgot Password?” to sign in.',
  resetSessions: '{{name}} is signed out everywhere.',
  resetMail: '{{name}} gets a mail about it.',
  resetUntold: '{{name}} has no email address, so there is no mail about it.',
  resetDone: 'The second factor was reset.',
  ownPassword: 'Your own password',
  ownCode: 'Confirm with your own second factor that it is you.',
  confirmed: 'You have confirmed that it is you.',
  confirmHelp: 'Sign in at {{provider}} again to confirm that it is you. You come back to this user.',
  confirmAction: 'Confirm at {{provider}}',
  noProvider: 'The provider at which you signed in is not configured any more, so you cannot confirm that it is you.',
} as const;

const gone = {
  user: 'The selected user no longer exists. Please refresh the page to view the latest user list.',
} as const;

export const words = addWords({ gone, users, helpdesk });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    users: typeof words;
  }
}
