export { scopeWords as scopes } from '../../../../../src/contract/rules/scopes/scope-words.js';
