import type { LevelKinds, LevelView, SingleKinds } from '../../../../src/contract/representation/levels.js';
import {
  type KindTexts,
  listOfChosenKinds,
  nameOfLabel,
  namesOfKinds as namesInLanguage,
} from '../../../../src/contract/rules/representation/kind-words.js';
import { t } from '../i18n/i18n.js';
import { listOf } from '../i18n/language.js';
import { textAt } from '../i18n/messages.js';
import { kindName } from '../scopes/scope-texts.js';
import './words/en.js';

/** In the language of the page. */
const texts: KindTexts = {
  say: (place, values) => textAt(`levels.${place}`, values),
  nameOfType: kindName,
  list: listOf,
};

/** Kinds that one line names; of more it tells the number. */
const namedInLine = 2;

/**
 * The names of what a level shows, and of what it keeps private; `shown` is null for everything. Kinds are written as
 * in the configuration: `Type`, `Type?category=a,b`, `?_security=x`, `Type.element`, `contact-details`.
 */
export function namesOfLevel({ kinds, without }: LevelKinds): { shown: string[] | null; hidden: string[] } {
  const { types, categories, securityLabels, codedElements } = without;
  const hidden = [
    ...types.map(kindName),
    ...categories.map(kindName),
    ...securityLabels.map((label) => nameOfLabel(label, texts)),
    ...codedElements.map((element) => t('levels.coded', { kind: kindName(element.split('/')[0] ?? element) })),
  ];
  return { shown: kinds && namesOfKinds(kinds), hidden: once(hidden) };
}

/** The names of kinds that are written as in the configuration. */
export function namesOfKinds(kinds: readonly string[]): string[] {
  return namesInLanguage(kinds, texts);
}

/** Kinds with the same name, which are chosen together. */
interface NamedKinds {
  /** The kinds with blanks between them. */
  value: string;
  name: string;
  isSensitive: boolean;
}

/** The kinds that can be chosen one by one, by name. */
export function namedKinds({ kinds }: SingleKinds): NamedKinds[] {
  const found = new Map<string, NamedKinds>();
  for (const { kind, isSensitive } of kinds) {
    const name = listOf(namesOfKinds([kind]));
    const known = found.get(name);
    found.set(name, { name, isSensitive, value: known ? `${known.value} ${kind}` : kind });
  }
  return [...found.values()];
}

/** The name of a level by its id, behind which chosen kinds may stand. */
export function levelName(levels: readonly Pick<LevelView, 'id' | 'label'>[], text: string): string {
  const [id, ...kinds] = text.split(' ');
  if (kinds.length > 0) return t('levels.chosen', { kinds: listOfChosenKinds(kinds, texts) });
  return levels.find((one) => one.id === id)?.label ?? text;
}

/** The label of a level within a sentence, or the kinds that were chosen of it. */
export function levelInText(label: string, kinds: readonly string[] | undefined): string {
  return kinds ? t('levels.chosenInText', { kinds: listOfChosenKinds(kinds, texts) }) : label;
}

/** The content of a level, in one line. */
export function levelLine(level: LevelKinds): string {
  const { shown, hidden } = namesOfLevel(level);
  if (shown === null) return t(hidden.length > 0 ? 'levels.everythingBut' : 'levels.everything');
  return onlyLine(shown);
}

/** That nothing but these kinds is seen, in one line. */
export function onlyLine(names: readonly string[]): string {
  // The patient's identity stands first, and each level shows it.
  const telling = names.filter((name) => name !== kindName('Patient'));
  const rest = telling.length - namedInLine;
  if (telling.length === 0) return t('levels.nothing');
  if (rest <= 1) return t('levels.only', { kinds: listOf(telling) });
  return t('levels.onlyMore', { kinds: listOf(telling.slice(0, namedInLine)), count: rest });
}

const once = (names: string[]) => [...new Set(names)];
