import { addWords } from '../../../shared/i18n/add-words.js';

const sessionEnd = {
  title: 'Are you still there?',
  text: 'You have not been active for a while. For your security you are signed out in:',
  lastTitle: 'You will be signed out soon',
  lastText:
    'This sign-in has lasted as long as it may. Save your work, and sign in again afterwards. You are signed out in:',
  announcement: 'You are signed out in {{time}}.',
  minutes_one: '{{count}} minute',
  minutes_other: '{{count}} minutes',
  seconds_one: '{{count}} second',
  seconds_other: '{{count}} seconds',
  stay: 'Stay signed in',
  signOut: 'Sign out now',
} as const;

export const words = addWords({ sessionEnd });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'app/session-end': typeof words;
  }
}
