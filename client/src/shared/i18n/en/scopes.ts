export { scopeWords as scopes } from '../../../../../src/contract/rules/scope-words.js';
