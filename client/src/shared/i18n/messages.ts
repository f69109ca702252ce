import { describeScope, type ScopeDescription } from '../../../../src/contract/rules/scope-description.js';
import { messages as english } from './en/messages.js';
import { scopes } from './en/scopes.js';
import { i18n } from './i18n.js';
import { durationSaid } from './language.js';

interface Known {
  key: string;
  pattern: RegExp;
}

const durationPattern = /^\d+ (?:day|hour|minute|second)/;

let known: Known[] | undefined;

/**
 * Translates an English message of a rule or of the server into the language of the page. English is part of their
 * contract; so a text is found by its words, and an unknown one is shown unchanged.
 */
export function translateMessage(text: string): string {
  if (i18n.language === 'en') return text;
  known ??= [...patternsOf('said', english), ...patternsOf('scopes', { fixed: scopes.fixed, ...contextNames })];
  for (const { key, pattern } of known) {
    const groups = pattern.exec(text);
    if (groups) return translated(key, spoken(groups.groups));
  }
  return durationPattern.test(text) ? durationSaid(text) : text;
}

/** A duration within a text is English like the text. */
function spoken({ duration, ...values }: Record<string, string> = {}): Record<string, string> {
  return duration === undefined ? values : { ...values, duration: durationSaid(duration) };
}

const contextNames = { otherContext: { name: scopes.otherContext.name } };

function patternsOf(place: string, texts: object): Known[] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) => {
    const key = `${place}.${name}`;
    if (typeof text === 'object' && text !== null) return patternsOf(key, text);
    const pattern = String(text)
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{\{(\w+)\}\}/g, '(?<$1>.+)');
    return [{ key, pattern: new RegExp(`^${pattern}$`, 's') }];
  });
}

/** Describes the access that a scope gives an app, in the language of the page. */
export function translateScope(scope: string): ScopeDescription {
  return describeScope(scope, (place, values) => translated(`scopes.${place}`, values));
}

/** By a key that is put together, which the compiler cannot know. */
function translated(key: string, values: Record<string, string> = {}): string {
  return (i18n.t as (key: string, values: object) => string)(key, values);
}
