import { describeKind } from '../scopes/scope-description.js';

/**
 * The words for kinds of a level, in English; `{{…}}` is filled in. Another language is another text at the same place.
 */
export const kindWords = {
  sensitive: {
    ETH: 'substance use',
    HIV: 'HIV',
    MH: 'mental health',
    PSY: 'mental health',
    SDV: 'violence and abuse',
    SEX: 'sexual health',
    STD: 'sexually transmitted infections',
    SUD: 'substance use',
  },
  label: 'what is labelled {{label}}',
  attachment: '{{kind}}, attached files',
  chosen: 'Chosen kinds: {{kinds}}',
  contactDetails: 'Contact details',
} as const;

/** The texts of a language. */
export interface KindTexts {
  /** The text at a path of {@link kindWords}, with its values filled in. */
  say(place: string, values?: Record<string, string>): string;
  /** The name of a type, or of type and category (`Observation/laboratory`). */
  nameOfType(kind: string): string;
  /** One list in a sentence. */
  list(names: readonly string[]): string;
}

/**
 * The names of kinds that are written as in the configuration, each once: `Type`, `Type?category=a,b`, `?_security=x`,
 * `Type.element`, `contact-details`.
 */
export function namesOfKinds(kinds: readonly string[], texts: KindTexts): string[] {
  return [...new Set(kinds.flatMap((kind) => namesOfKind(kind, texts)))];
}

/** The kinds that were chosen one by one, in a sentence: what is sensitive stands last, as where it is chosen. */
export function listOfChosenKinds(kinds: readonly string[], texts: KindTexts = inEnglish): string {
  const isLabel = (kind: string) => kind.startsWith('?');
  const sorted = [...kinds.filter((kind) => !isLabel(kind)), ...kinds.filter(isLabel)];
  return texts.list(namesOfKinds(sorted, texts));
}

/** A level in English: its label, or the kinds that were chosen of it. */
export function levelInWords({
  label,
  kinds,
  isChosen,
}: {
  label: string;
  kinds: string[] | null;
  isChosen?: boolean;
}) {
  return isChosen && kinds ? inEnglish.say('chosen', { kinds: listOfChosenKinds(kinds) }) : label;
}

/** A security label in words, where it is one of those that are sensitive by default. */
export function nameOfLabel(token: string, { say }: KindTexts): string {
  const label = codeOf(token);
  return Object.hasOwn(kindWords.sensitive, label) ? say(`sensitive.${label}`) : say('label', { label });
}

function namesOfKind(kind: string, texts: KindTexts): string[] {
  const { say, nameOfType } = texts;
  if (kind === 'contact-details') return [say('contactDetails')];
  const [type = '', query] = kind.split('?');
  const values = query?.split('=')[1]?.split(',') ?? [];
  if (type === '') return values.map((label) => nameOfLabel(label, texts));
  if (values.length > 0) return values.map((category) => nameOfType(`${type}/${codeOf(category)}`));
  const [of = '', element] = type.split('.');
  return [element ? say('attachment', { kind: nameOfType(of) }) : nameOfType(of)];
}

const codeOf = (token: string) => token.slice(token.lastIndexOf('|') + 1);

const inEnglish: KindTexts = {
  say: (place, values = {}) => {
    const words = place.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], kindWords);
    return String(words).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  },
  nameOfType: (kind) => describeKind(kind),
  list: (names) => new Intl.ListFormat('en').format(names),
};
