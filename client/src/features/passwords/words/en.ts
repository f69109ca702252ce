import { addWords } from '../../../shared/i18n/add-words.js';

const forgotPassword = {
  title: 'Forgot your password?',
  lead: 'Enter your email address. If it belongs to an account, you get a link to choose a new password.',
  mailWaits: 'We cannot send mail at the moment.',
  submit: 'Send link',
  sent: 'Password reset link sent!',
  sentHelp: 'The link is good for {{duration}}. If no email arrives, check the address and your spam folder.',
  sentOnTheWay:
    'Open the link in this browser to continue to {{client}}. If you open it on another device, come back here afterwards and sign in.',
} as const;

const choosePassword = {
  resetTitle: 'Reset your password',
  resetLead: 'Choose a new password. You will be signed out everywhere else.',
  resetSubmit: 'Save password',
  resetDone: 'Your password was changed. Sign in with the new one.',
  saveAndSignIn: 'Save and sign in',
  changed: 'Your password was changed.',
  activateTitle: 'Activate Account',
  activateLead: 'Create your password to activate your account',
  activateSubmit: 'Activate account',
  activateDone: 'Your account is active. Sign in with your new password.',
  elsewhere:
    'You asked for this link in another browser, where {{client}} waits for you. After this, go back to that browser and sign in there.',
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
    verificationCode: 'Code from your authenticator app',
    code: 'Code',
    passkey: 'One of your passkeys',
    wait: 'I have none of these',
  },
  wait: {
    lead_one:
      'For safety you wait {{count}} hour. We now send an e-mail to the address of this account, with a way to stop this. After that you get a new link by e-mail.',
    lead_other:
      'For safety you wait {{count}} hours. We now send an e-mail to the address of this account, with a way to stop this. After that you get a new link by e-mail.',
    endsTwoFactor: 'Two-factor authentication of the account ends then, too.',
    keepsTwoFactor:
      'After that, signing in still takes a code of the authenticator app or a recovery code. Without them, contact the help desk.',
    submit_one: 'Wait {{count}} hour',
    submit_other: 'Wait {{count}} hours',
    running:
      'You get a link by e-mail with which you can choose a new password. When: {{at}}. A sign-in to the account before then ends this.',
  },
  endsTwoFactor:
    'You have waited because your codes are lost: saving also ends two-factor authentication. You can turn it on again in your account settings.',
  signedIn: 'You are signed in as {{name}}. Saving signs you out here, so that you can sign in with the new password.',
} as const;

const recovery = {
  title: 'End the recovery?',
  lead: 'A new password was requested for your account, without a passkey or a code of the account. A link for it will be sent to your e-mail address. When: {{at}}.',
  submit: 'It was not me: end it',
  leave: 'It was me: keep waiting',
  done: 'The recovery was ended. Please also change the password of your mailbox.',
  ended: 'This recovery has ended. There is nothing to do.',
} as const;

const keepAccount = {
  title: 'Keep your account?',
  lead: 'You asked for your account to be deleted. It is locked now. It will be deleted: {{at}}.',
  submit: 'Keep the account',
  leave: 'Delete the account as planned',
  left: 'Your account will be deleted. When: {{at}}.',
  done: 'Your account is kept. You can sign in as before.',
  kept: 'Your account is kept already. You can sign in as before.',
} as const;

export const words = addWords({ forgotPassword, choosePassword, recovery, keepAccount });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    passwords: typeof words;
  }
}
