import { addWords } from '../../../shared/i18n/add-words.js';

const asker = {
  title: 'Ask to look after someone',
  lead: 'You have no account yet? Enter your name and email. We send you a link to begin.',
  name: 'Your first and last name',
  nameNeeded: 'Please enter your name.',
  hospital: 'Hospital',
  hospitalNeeded: 'Please choose the hospital.',
  submit: 'Send me a link',
  sentTitle: 'Look into your mail',
  sentText: 'We have sent a mail to the address that you entered. The link in it works for {{count}} hours.',
  openTitle: 'Begin',
  openLead: 'We make you an account, which sees no record. Then you ask the hospital.',
  open: 'Make my account',
  endedTitle: 'This link has ended',
  endedText: 'Ask for another one, or sign in if you have an account by now.',
  again: 'Ask again',
  knownTitle: 'You have an account',
  knownText:
    'Sign in with your email, and ask in Family and carers. Without a password, choose one with “Forgot password”.',
  closedTitle: 'Please ask at the hospital',
  closedText: 'You cannot ask here without an account.',
} as const;

export const words = addWords({ asker });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    asker: typeof words;
  }
}
