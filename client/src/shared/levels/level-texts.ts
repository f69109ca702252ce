import type { LevelKinds, LevelView, SingleKinds } from '../../../../src/contract/representation/levels.js';
import { t } from '../i18n/i18n.js';
import { listOf } from '../i18n/language.js';
import { kindName } from '../scopes/scope-texts.js';
import { words } from './words/en.js';

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
    ...securityLabels.map(labelName),
    ...codedElements.map((element) => t('levels.coded', { kind: kindName(element.split('/')[0] ?? element) })),
  ];
  return { shown: kinds && namesOfKinds(kinds), hidden: once(hidden) };
}

/** The names of kinds that are written as in the configuration. */
export function namesOfKinds(kinds: readonly string[]): string[] {
  return once(kinds.flatMap(namesOfKind));
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
  if (kinds.length > 0) return t('levels.chosen', { kinds: listOfChosen(kinds) });
  return levels.find((one) => one.id === id)?.label ?? text;
}

/** The label of a level within a sentence, or the kinds that were chosen of it. */
export function levelInText(label: string, kinds: readonly string[] | undefined): string {
  return kinds ? t('levels.chosenInText', { kinds: listOfChosen(kinds) }) : label;
}

/** Sensitive labels stand last, as where they are chosen. */
function listOfChosen(kinds: readonly string[]): string {
  const isLabel = (kind: string) => kind.startsWith('?');
  return listOf(namesOfKinds([...kinds.filter((kind) => !isLabel(kind)), ...kinds.filter(isLabel)]));
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

function namesOfKind(kind: string): string[] {
  if (kind === 'contact-details') return [t('levels.contactDetails')];
  const [type = '', query] = kind.split('?');
  const values = query?.split('=')[1]?.split(',') ?? [];
  if (type === '') return values.map(labelName);
  if (values.length > 0) return values.map((category) => kindName(`${type}/${codeOf(category)}`));
  const [of = '', element] = type.split('.');
  return [element ? t('levels.attachment', { kind: kindName(of) }) : kindName(of)];
}

/** A security label in words, where it is one of those that are sensitive by default. */
function labelName(token: string): string {
  const label = codeOf(token);
  return isKnown(label) ? t(`levels.sensitive.${label}`) : t('levels.label', { label });
}

const isKnown = (label: string): label is keyof typeof words.levels.sensitive =>
  Object.hasOwn(words.levels.sensitive, label);

const codeOf = (token: string) => token.slice(token.lastIndexOf('|') + 1);

const once = (names: string[]) => [...new Set(names)];
