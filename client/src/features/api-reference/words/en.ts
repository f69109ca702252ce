import { addWords } from '../../../shared/i18n/add-words.js';

const apiReference = {
  title: 'API',
  lead: 'The calls of this portal, in English. Programs read them at <code>{{path}}</code> (OpenAPI 3.1).',
  calls: 'Calls',
  download: 'Download',
} as const;

export const words = addWords({ apiReference });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    'api-reference': typeof words;
  }
}
