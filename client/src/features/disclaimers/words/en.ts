import { addWords } from '../../../shared/i18n/add-words.js';

const disclaimers = {
  title: 'Disclaimers',
  lead: 'Please agree to all disclaimers in order to proceed with login.',
  list: 'To agree',
  agreed: 'Agreed: {{count}} of {{total}}',
  about: 'About {{what}}',
  before: 'You agreed to this before',
  accept: 'Accept',
  confirm: 'Confirm my choices',
  actions: 'Your decision',
  answered: 'You have answered this already.',
  missing: 'Required fields are not provided.',
} as const;

export const words = addWords({ disclaimers });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    disclaimers: typeof words;
  }
}
