import {
  describeKind,
  describeScope,
  type ScopeDescription,
} from '../../../../src/contract/rules/scopes/scope-description.js';
import { locale } from '../i18n/language.js';
import { textAt } from '../i18n/messages.js';
import './words/en.js';

/** The words for scopes in the language of the page. */
export const scopeText = (place: string, values?: Record<string, string>): string => textAt(`scopes.${place}`, values);

/** Describes the access that a scope gives an app, in the language of the page. */
export function translateScope(scope: string): ScopeDescription {
  return describeScope(scope, scopeText);
}

/** A kind of data by itself (`Observation`, `Observation/laboratory`), in the words of the consent page. */
export function kindName(kind: string): string {
  return describeKind(kind, scopeText);
}

/** A kind of data within a sentence. Of the two words of the consent page a list of several things is the worse. */
export function kindWord(kind: string): string {
  const [type = '*', category] = kind.split('/');
  const place = category === undefined ? `types.${type}` : `categories.${category}`;
  const noun = scopeText(`${place}.noun`);
  const isKnown = noun !== `scopes.${place}.noun`;
  if (isKnown && !/,| and /.test(noun)) return noun;
  const name = kindName(kind);
  return locale().startsWith('en') ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** 'conditions, visits and goals'. */
export function listText(words: string[]): string {
  const last = words.at(-1) ?? '';
  const some = words.slice(0, -1).join(', ');
  return some === '' ? last : scopeText('and', { some, last });
}
