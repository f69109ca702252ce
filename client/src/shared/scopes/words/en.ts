import { scopeWords } from '../../../../../src/contract/rules/scopes/scope-words.js';
import { addWords } from '../../i18n/add-words.js';

export const words = addWords({ scopes: scopeWords });

declare module '../../i18n/add-words.js' {
  interface Words {
    'shared/scopes': typeof words;
  }
}
