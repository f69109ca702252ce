import { addWords } from '../../../i18n/add-words.js';

const disclaimers = {
  show: 'Show',
  showOf: 'Show {{disclaimer}}',
} as const;

export const words = addWords({ disclaimers });

declare module '../../../i18n/add-words.js' {
  interface Words {
    'shared/ui/text': typeof words;
  }
}
