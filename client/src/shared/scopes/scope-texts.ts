import {
  describeKind,
  describeScope,
  type Say,
  type ScopeDescription,
} from '../../../../src/contract/rules/scopes/scope-description.js';
import { locale } from '../i18n/language.js';
import { textAt } from '../i18n/messages.js';
import './words/en.js';

/** The words for scopes in the language of the page. */
export function scopeText(): Say {
  const text = (place: string, values?: Record<string, string>): string => textAt(`scopes.${place}`, values);
  return Object.assign(text, { language: locale() });
}

/** Describes the access that a scope gives an app, in the language of the page. */
export function translateScope(scope: string): ScopeDescription {
  return describeScope(scope, scopeText());
}

/** A kind of data by itself (`Observation`, `Observation/laboratory`), in the words of the consent page. */
export function kindName(kind: string): string {
  return describeKind(kind, scopeText());
}
