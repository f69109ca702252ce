export const forgotPassword = {
  title: 'Forgot your password?',
  lead: 'Enter your email address. If it belongs to an account, you get a link to choose a new password.',
  submit: 'Send link',
  sent: 'Password reset link sent!',
  sentHelp: 'The link is good for 60 minutes. If no email arrives, check the address and your spam folder.',
  sentOnTheWay:
    'Open the link in this browser to continue to {{client}}. If you open it on another device, come back here afterwards and sign in.',
} as const;

export const choosePassword = {
  resetTitle: 'Reset your password',
  resetLead: 'Choose a new password. You will be signed out everywhere else.',
  resetSubmit: 'Save password',
  resetDone: 'Your password was changed. Sign in with the new one.',
  activateTitle: 'Activate Account',
  activateLead: 'Create your password to activate your account',
  activateSubmit: 'Activate account',
  activateDone: 'Your account is active. Sign in with your new password.',
  elsewhere:
    'You asked for this link on the way to {{client}}, in another browser. After this, go back to that browser and sign in there.',
  elsewhereEnded:
    'You asked for this link on the way to {{client}}. That sign-in has ended meanwhile; after this, start again in {{client}}.',
  goBack: 'To continue to {{client}}, go back to the browser in which you began.',
  start: 'Start {{client}} here',
  fixedEmail: 'Set by the link',
  password: 'New password',
  confirmation: 'Confirm password',
  newLink: 'Ask for a new link',
  noLink: 'This link is not complete. Please open it from the email again.',
  signedIn: 'You are signed in as {{name}}. Saving signs you out here, so that you can sign in with the new password.',
} as const;

export const passwordRules = {
  label: 'Password rules',
  met: '(met)',
  open: '(not met yet)',
} as const;
