import { addWords } from '../../../shared/i18n/add-words.js';

const verification = {
  title: 'Verify Your Identity',
  authenticatorLead: 'Enter the 6-digit code from your authenticator app.',
  recoveryLead: 'Enter one of the recovery codes that you stored. Each of them works once.',
  authenticatorCode: 'Code from your authenticator app',
  recoveryCode: 'Recovery code',
  sentAtOnce: 'The code is checked when you enter its sixth digit.',
  checking: 'Checking the code…',
  submit: 'Verify',
  toRecovery: 'Use a recovery code instead',
  toAuthenticator: 'Use a code from your authenticator app instead',
  neither: 'I have neither',
  noneOfThese: 'I have none of these',
  noPasskey: 'I do not have my passkey',
  codesLeft_one: 'You have {{count}} recovery code left.',
  codesLeft_other: 'You have {{count}} recovery codes left.',
  userNotFoundTitle: 'User Not Found',
  userNotFoundText: 'The current user cannot be found. Please contact your administrator.',
} as const;

const lostFactor = {
  title: 'Lost your phone and your codes?',
  passkeyTitle: 'Lost your passkey?',
  helpDesk: 'The help desk of {{organization}} checks who you are, and then lets you in again.',
  noHelpDesk: 'Please contact {{organization}}. An administrator there checks who you are, and then lets you in again.',
  phone: 'Phone',
  email: 'Email',
  page: 'Web page',
  hours: 'Hours',
  orWait_one:
    'Or wait {{count}} hour. We now send an e-mail to the address of this account, with a way to stop this. After that you get a link by e-mail: with it you choose a new password, and two-factor authentication ends.',
  orWait_other:
    'Or wait {{count}} hours. We now send an e-mail to the address of this account, with a way to stop this. After that you get a link by e-mail: with it you choose a new password, and two-factor authentication ends.',
  wait_one: 'Wait {{count}} hour',
  wait_other: 'Wait {{count}} hours',
  running:
    'You get a link by e-mail, with which you choose a new password. Two-factor authentication ends then. When: {{at}}. A complete sign-in before then stops this.',
  addPasskey: 'You can add another passkey in your account settings, then come back to this page.',
  back: 'Enter a code',
} as const;

const twoFactor = {
  requiredTitle: 'Two-Factor Authentication Required',
  requiredLead: 'This app asks for a second step when you sign in.',
  passkeyTitle: 'Passkey Required',
  passkeyLead: 'This app can be used only with a passkey: your fingerprint, face or screen lock.',
  passkeyNone: 'Your account has no passkey yet. Add one in your account settings, then come back to this page.',
  passkeySettings: 'Account settings',
  passkeyElsewhere:
    'This browser cannot use passkeys. Open the app in another browser, or on the device that has your passkey.',
  passkeyExternal:
    'Your organization signs you in, and its accounts have no passkeys here. Ask the people who gave you this app for an account with a passkey.',
  add: 'Add your account to an authenticator app',
  openApp: 'Open in your authenticator app',
  scanElsewhere: 'Is the app on another device? Scan this code:',
  scan: 'Scan this code with an authenticator app',
  qrCode: 'QR code for an authenticator app',
  key: 'Cannot scan it? Enter this key:',
  keyOnPhone: 'Or enter this key in the app:',
  copyKey: 'Copy key',
  enterCode: 'Enter the 6-digit code that it shows',
  currentPassword: 'Current password',
  submit: 'Turn on',
  codesTitle: 'Save your recovery codes',
  codesLead:
    'Two-factor authentication is on. If you lose your phone, each of these codes signs you in once. They are shown only now.',
  copyCodes: 'Copy codes',
  download: 'Download',
  stored: 'I have stored these codes',
  confirm: 'Confirm',
} as const;

export const words = addWords({ verification, lostFactor, twoFactor });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'two-factor': typeof words;
  }
}
