import { addWords } from '../../i18n/add-words.js';

const accountSettings = {
  browserOn: '{{name}} on {{system}}',
  browserOnSystem: 'A browser on {{system}}',
  unknownBrowser: 'Unknown browser',
} as const;

export const words = addWords({ accountSettings });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/browser': typeof words;
  }
}
