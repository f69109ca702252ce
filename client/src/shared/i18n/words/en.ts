import { ruleTexts } from '../../../../../src/contract/messages/rules.en.js';
import { addWords } from '../add-words.js';

const product = {
  name: 'Gatehouse',
  footer: 'Gatehouse {{version}}',
} as const;

const common = {
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
  today: 'Today',
  yesterday: 'Yesterday',
  dayAndTime: '{{day}}, {{time}}',
  copied: 'Copied.',
  notCopied: 'This browser does not allow copying here.',
} as const;

const roles = {
  Admin: 'Admin',
  Patient: 'Patient',
  Practitioner: 'Practitioner',
  RelatedPerson: 'Representative',
  Incomplete: 'Incomplete',
} as const;

const errors = {
  generic: 'Something went wrong.',
  notSaved: 'Unable to save your changes. Please review the form for errors.',
  unexpected: 'An unexpected error occurred',
  unavailable: 'Service temporarily unavailable',
  tooManyUntil: 'Too many attempts. Please wait {{duration}} and try again.',
  loadFailed: 'This page could not be loaded. Check your connection and try again.',
} as const;

const gone = {
  title: 'Oh No!',
  general: 'The request cannot be processed. Please refresh the page and try again.',
} as const;

const header = {
  home: '{{organization}}, home page',
  menu: 'Menu',
  accountMenu: 'Account menu of {{name}}',
  accountSettings: 'Account settings',
  logout: 'Logout',
} as const;

const lostSession = {
  title: 'You have been signed out',
  text: 'What you entered is kept. Sign in again with the same account, in a new tab: this page then continues by itself.',
  signIn: 'Sign in again',
  notSaved: 'You were signed out, so this was not saved. You are signed in again: please save once more.',
  notDone: 'You were signed out, so this was not done. You are signed in again: please try once more.',
} as const;

const undo = {
  act: 'Undo',
  hint: 'To undo, press Control and Z within {{seconds}} seconds.',
  done: 'Undone.',
  failed: 'This could not be undone. Try again.',
} as const;

export const words = addWords({ product, common, roles, errors, gone, header, lostSession, undo, messages: ruleTexts });

declare module '../add-words.js' {
  interface Words {
    'shared/i18n': typeof words;
  }
}
