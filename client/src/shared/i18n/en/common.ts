export const product = {
  name: 'Gatehouse',
  footer: 'Gatehouse {{version}}',
} as const;

export const common = {
  documentation: 'Documentation',
  opensInNewTab: '(opens in a new tab)',
  loading: 'Loading',
  skipToContent: 'Skip to content',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  ok: 'OK',
  refresh: 'Refresh',
  tryAgain: 'Try again',
  notAvailable: 'N/A',
  noValue: 'No value',
  goToLogin: 'Go to Login',
  goBack: 'Go Back',
  email: 'Email',
  password: 'Password',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  or: 'or',
  copied: 'Copied.',
  notCopied: 'This browser does not allow copying here.',
} as const;

export const roles = {
  Admin: 'Admin',
  Patient: 'Patient',
  Practitioner: 'Practitioner',
  Incomplete: 'Incomplete',
} as const;

export const errors = {
  generic: 'Something went wrong.',
  notSaved: 'Unable to save your changes. Please review the form for errors.',
  unexpected: 'An unexpected error occurred',
  unavailable: 'Service temporarily unavailable',
  tooManyUntil: 'Too many attempts. Please wait {{duration}} and try again.',
  loadFailed: 'This page could not be loaded. Check your connection and try again.',
} as const;

export const gone = {
  title: 'Oh No!',
  general: 'The request cannot be processed. Please refresh the page and try again.',
  user: 'The selected user no longer exists. Please refresh the page to view the latest user list.',
  client: 'The selected client no longer exists. Please refresh the page to view the latest client list.',
  tag: 'The selected tag no longer exists. Please refresh the page to view the latest tag list.',
  disclaimer: 'The selected disclaimer no longer exists. Please refresh the page to view the latest disclaimer list.',
  app: 'The selected app no longer exists. Please refresh the page to view the latest app list.',
} as const;
