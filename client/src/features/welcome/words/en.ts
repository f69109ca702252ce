import { addWords } from '../../../shared/i18n/add-words.js';

const welcome = {
  title: 'Welcome to Gatehouse',
  lead: 'Sign-in, consent and authorization for the people and apps that use your FHIR server.',
  titleOf: 'Welcome to {{organization}}',
  leadOf: 'Sign in to see your health record and to decide which apps may use it.',
  start: 'Get Started',
  documentation: 'Read the documentation',
  version: 'Version {{version}}',
} as const;

export const words = addWords({ welcome });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    welcome: typeof words;
  }
}
