import { describeScope, type ScopeDescription } from '../../../../src/contract/rules/scopes/scope-description.js';
import { textAt } from './messages.js';

/** Describes the access that a scope gives an app, in the language of the page. */
export function translateScope(scope: string): ScopeDescription {
  return describeScope(scope, (place, values) => textAt(`scopes.${place}`, values));
}
