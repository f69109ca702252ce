import { addWords } from '../../../shared/i18n/add-words.js';

const passkeys = {
  title: 'Passkeys',
  help: 'Sign in with your fingerprint, face or screen lock. Remove a passkey when you give the device away.',
  add: 'Add a passkey',
  addTitle: 'Add a passkey',
  addLead: 'To continue, enter your password once more.',
  goOn: 'Continue',
  empty: 'No passkeys yet',
  countOf_one: '{{used}} of {{count}} passkey',
  countOf_other: '{{used}} of {{count}} passkeys',
  fullOf_one: 'You have {{count}} passkey. Remove it to add another.',
  fullOf_other: 'You have {{count}} passkeys. Remove one that you do not use to add another.',
  unsupported: 'This browser cannot make passkeys.',
  thisSignIn: 'This sign-in',
  neverUsed: 'Never used',
  maybeCopied: 'May have been copied',
  copiedHelp: 'Another device may have a copy of its key. Remove it and add a new one.',
  lastUsed: 'Last used {{date}}',
  created: 'Created {{date}}',
  actionsOf: 'Actions for {{name}}',
  rename: 'Rename',
  renameOf: 'Rename {{name}}',
  renameTitle: 'Rename passkey',
  name: 'Name',
  save: 'Save',
  remove: 'Remove',
  removeOf: 'Remove {{name}}',
  removeTitle: 'Remove {{name}}?',
  removeText:
    'It can no longer be used to sign in, and you are signed out on all other devices. Also delete it in the settings of the device.',
  removeOnlyWay:
    'You sign in with this passkey only, as your account has no password. Choose a password or add another passkey before you remove it.',
  removeLast: 'It is your last passkey: after this you sign in with your password.',
  added: 'Passkey created',
  removed: 'Passkey removed',
  renamed: 'Passkey renamed',
  notMade: 'No passkey was added to your account. Please try again.',
  stopped: 'No passkey was added to your account.',
  known: 'This device has a passkey for your account already.',
  codes: {
    title: 'Recovery codes',
    none: 'With a code you get in again when you have lost all of your devices.',
    left_one: '{{count}} code is left.',
    left_other: '{{count}} codes are left.',
    make: 'Make recovery codes',
    replace: 'Replace the codes',
    lead: 'With a recovery code and a link that we mail to you, you choose a new password when you have lost all of your devices. Each code works once.',
    made: 'If you lose all of your devices, you choose a new password with one of these codes and a link that we mail to you. Each code works once. They are shown only now.',
    replaceLead: 'The codes that you have stop working.',
    recovery: 'A recovery of your account was requested',
    recoveryText:
      'A link to choose a new password will be sent to your e-mail address. When: {{at}}. If you did not ask for it, end it.',
    endRecovery: 'End the recovery',
    recoveryEnded: 'The recovery was ended',
  },
  useIt: 'Use a passkey',
  confirm: {
    lead: 'Confirm that it is you:',
    password: 'Current password',
    needed: 'Please use a passkey.',
    done: 'Confirmed by a passkey',
    failed: 'That did not work. Please try again.',
    unsupported: 'This browser cannot use passkeys. Please sign in with another browser.',
  },
  stronger: {
    title: 'One more step',
    passkey: 'Administrators of {{organization}} sign in with a passkey.',
    'two-factor':
      'Administrators of {{organization}} sign in with two factors: a passkey, or a code from an authenticator app.',
    use: 'Use the passkey of your account to continue.',
    make: 'Your account has none yet. Make one, then use it.',
    elsewhere:
      'Do you no longer have it? Sign out and ask for a link to choose a new password. With a recovery code, or after a waiting time, you can then make another passkey. The operator of this portal can help, too.',
    unsupported: 'This browser cannot use passkeys. Please sign in with another browser or device.',
    signOut: 'Sign out',
  },
  password: {
    none: 'None: you sign in with your passkeys',
    choose: 'Choose a password',
    chosen: 'Password saved',
    chooseAction: 'Choose',
    remove: 'Remove the password',
    removeHelp: 'Sign in with your passkeys alone.',
    removeTitle: 'Remove your password?',
    removeText:
      'After this you sign in with a passkey only, and you are signed out on all other devices. You can choose a password again here.',
    removeAdvice:
      'Add a second passkey or make recovery codes before. Without them you wait for some days until you get in again when you lose your device.',
    removed: 'Your password was removed',
  },
  offer: {
    title: 'Sign in faster next time',
    lead: 'Use your fingerprint, face or screen lock instead of a password. This is called a passkey.',
    touch: 'One touch',
    touchText: 'No password and no code',
    safe: 'Safe from copied pages',
    safeText: 'It works only with {{organization}}',
    yours: 'Stays with you',
    yoursText: 'Your fingerprint and face never leave your device',
    next: 'Next: you continue to {{app}}.',
    create: 'Create a passkey',
    later: 'Not now',
    again: 'We ask again after {{duration}}, and not more than a few times.',
    late: 'You signed in too long ago. Continue without a passkey, and add one in your account settings.',
  },
  required: {
    title: 'One more step: a passkey',
    lead: '{{organization}} asks all users to sign in with their fingerprint, face or screen lock instead of a password. This is called a passkey.',
    elsewhere: 'If this device has none of these, use your phone or a security key.',
    unsupported:
      'This browser cannot make passkeys. Continue without one for now, and use your phone or another browser when you sign in next time.',
    later: 'Not on this device',
    again: 'We ask again when you next sign in with your password.',
  },
  devices: {
    iphone: 'iPhone',
    ipad: 'iPad',
    android: 'Android phone',
    windows: 'Windows computer',
    mac: 'Mac',
    chromebook: 'Chromebook',
    linux: 'Linux computer',
    key: 'Security key',
    other: 'Passkey',
  },
} as const;

export const words = addWords({ passkeys });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    passkeys: typeof words;
  }
}
