import { addWords } from '../../../shared/i18n/add-words.js';

const accountSettings = {
  title: 'Account settings',
  personal: 'Personal Information',
  personalHelp: 'Your name as apps and staff see it.',
  name: 'Name',
  edit: 'Edit',
  editName: 'Edit name',
  nameEmpty: 'Name cannot be empty',
  nameChanged: 'Name was successfully changed.',
  noEmail: 'No value set',
  password: 'Password and Security',
  passwordHelp: 'Choose a password you use nowhere else.',
  change: 'Change',
  changePassword: 'Change password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  confirmPassword: 'Confirm new password',
  passwordNote: 'You stay signed in here and are signed out everywhere else.',
  passwordChanged: 'Password was successfully changed.',
  twoFactor: 'Two-factor Authentication',
  twoFactorHelp: 'A second step that protects your account even if your password is known.',
  authenticator: 'Authenticator app',
  active: 'On',
  activeHelp: 'Asked for every time you sign in',
  inactive: 'Off',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  enableTitle: 'Set up an authenticator app',
  twoFactorOn: 'Two-factor authentication is on.',
  disableTitle: 'Turn off the second step?',
  disableLead: 'Your password alone will then open your account. Other browsers are signed out.',
  passwordAgain: 'You signed in a while ago. Please confirm that it is you.',
  twoFactorOff: 'Two-factor authentication is off.',
  sessions: 'Where you are signed in',
  sessionsHelp: 'If you do not know one of these browsers, sign it out and change your password.',
  sessionsHelpPasskeys:
    'If you do not know one of these browsers, sign it out and remove passkeys that you do not know.',
  sessionsHelpAdmin: '"Remember me" has no effect for administrators.',
  thisBrowser: 'This browser',
  signedIn: 'Signed in {{at}}',
  lastUsed: 'Last used {{at}}',
  endOthers: 'Sign out everywhere else',
  othersEnded: 'You are signed out everywhere else.',
} as const;

const ownData = {
  title: 'Your data',
  help: 'What is kept about you here, and the end of your account.',
  download: 'Download your data',
  downloadHelp: 'Your account, apps, permissions, agreements and sign-ins, as one JSON file.',
  downloadAction: 'Download',
  downloadBegun: 'Your download has begun.',
  downloadTitle: 'Confirm that it is you',
  downloadLead: 'You signed in a while ago. The file has everything kept about you, so please confirm that it is you.',
  downloadSubmit: 'Download',

  delete: 'Delete your account',
  deleteHelp: 'Apps lose their access, and you can no longer sign in. Your health record is not deleted.',
  deleteAction: 'Delete account',
  deleteTitle: 'Delete your account?',
  endsNow: 'Ends at once',
  happens: 'What happens',
  endsSessions: 'You are signed out on all devices.',
  endsApps: 'The access that you gave to apps ends.',
  endsTwoFactor: 'Your codes no longer work here.',
  endsProvider: 'Signing in with {{provider}} no longer leads to this account.',
  endsAccount: 'Your account, permissions and agreements are deleted. This cannot be undone.',
  endsAccountLater_one: 'Your account is locked now. It is deleted in {{count}} day. Until then you can keep it.',
  endsAccountLater_other: 'Your account is locked now. It is deleted in {{count}} days. Until then you can keep it.',
  keepByMail: 'We send you an email with a link that keeps the account. Signing in leads to the same choice.',
  keepBySignIn: 'To keep the account, sign in within these days.',
  stays: 'What stays',
  staysRecord: 'Your health record. It does not belong to this account.',
  staysAudit:
    'The record of who signed in and which data was accessed, with your name and email as they are now. The law requires it.',
  lastAdmin: 'You are the last administrator. Make sure that there is another one before you delete your account.',
  confirmHelp: 'Please sign in with {{provider}} again, to confirm that it is you. Nothing is deleted yet.',
  confirmAction: 'Confirm with {{provider}}',
  confirmed: 'You have confirmed that it is you.',
  noProvider:
    'The provider you sign in with is no longer set up here. Please ask an administrator to delete your account.',
  lostPasskey: 'Do you no longer have your passkey? Close this, and remove the passkey in your account settings first.',
  deleteSubmit: 'Delete my account',
} as const;

export const words = addWords({ accountSettings, ownData });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'account-settings': typeof words;
  }
}
