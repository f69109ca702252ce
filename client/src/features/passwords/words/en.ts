import { addWords } from '../../../shared/i18n/add-words.js';

const forgotPassword = {
  title: 'Forgot your password?',
  lead: 'Enter your email address. If it belongs to an account, you get a link to choose a new password.',
  submit: 'Send link',
  sent: 'Password reset link sent!',
  sentHelp: 'The link is good for 60 minutes. If no email arrives, check the address and your spam folder.',
  sentOnTheWay:
    'Open the link in this browser to continue to {{client}}. If you open it on another device, come back here afterwards and sign in.',
} as const;

const choosePassword = {
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
  passkey: 'Create a passkey instead',
  passkeyFirst: 'Create a passkey',
  passkeyFirstLead: 'Create a passkey to activate your account',
  notHere: 'Not on this device',
  passkeyHint: 'Sign in with your fingerprint, face or screen lock, without a password.',
  passkeyDone: 'Your passkey was created. Sign in with it.',
  fixedEmail: 'Set by the link',
  password: 'New password',
  confirmation: 'Confirm password',
  newLink: 'Ask for a new link',
  noLink: 'This link is not complete. Please open it from the email again.',
  proof: {
    title: 'Confirm that it is you',
    lead: 'Your account has a passkey, so the link alone is not enough.',
    recoveryCode: 'Recovery code',
    verificationCode: 'Code of your authenticator app',
    code: 'Code',
    passkey: 'One of your passkeys',
    wait: 'I have none of these',
  },
  wait: {
    lead_one:
      'You can choose a new password after {{count}} hour, so that the owner of the account has time to object if it is not you. We tell them by mail now, and mail you a new link then.',
    lead_other:
      'You can choose a new password after {{count}} hours, so that the owner of the account has time to object if it is not you. We tell them by mail now, and mail you a new link then.',
    submit_one: 'Wait {{count}} hour',
    submit_other: 'Wait {{count}} hours',
    running:
      'On {{at}} you get a link by mail with which you can choose a new password. A sign-in to the account before then ends this.',
  },
  signedIn: 'You are signed in as {{name}}. Saving signs you out here, so that you can sign in with the new password.',
} as const;

const recovery = {
  title: 'End the recovery?',
  lead: 'A new password for your account was requested by a user without its passkeys and recovery codes. On {{at}} a link for it will be sent to your address.',
  submit: 'It was not me: end it',
  leave: 'It was me: go on waiting',
  done: 'The recovery was ended. Please also change the password of your mailbox.',
  ended: 'This recovery has ended. There is nothing to do.',
} as const;

const keepAccount = {
  title: 'Keep your account?',
  lead: 'You asked for your account to be deleted. It is locked now, and will be deleted on {{at}}.',
  submit: 'Keep my account',
  leave: 'Let it be deleted',
  left: 'Your account will be deleted on {{at}}.',
  done: 'Your account is kept. You can sign in as before.',
  kept: 'Your account is kept already. You can sign in as before.',
} as const;

export const words = addWords({ forgotPassword, choosePassword, recovery, keepAccount });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    passwords: typeof words;
  }
}
