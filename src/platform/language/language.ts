import type { LanguageTexts } from '../../contract/language.js';
import { inEnglish } from '../../contract/messages/in-english.js';
import { fillIn, type Message } from '../../contract/messages/message.js';
import { describeKind, scopeTextInEnglish } from '../../contract/rules/scopes/scope-description.js';

export const englishTexts: LanguageTexts = { tag: 'en', direction: 'ltr', texts: {} };

/** A language in which the server writes pages and mails. */
export class Language {
  readonly tag: string;
  readonly direction: LanguageTexts['direction'];
  private readonly texts: Readonly<Record<string, unknown>>;
  private readonly scopes: unknown;

  constructor({ tag, direction, texts }: LanguageTexts) {
    this.tag = tag;
    this.direction = direction;
    const { messages, scopes } = texts as { messages?: Record<string, unknown>; scopes?: unknown };
    this.texts = messages ?? {};
    this.scopes = scopes;
  }

  /** The text of a message; English without a translation. */
  render(message: Message): string {
    const text = Object.hasOwn(this.texts, message.code) ? this.texts[message.code] : undefined;
    return typeof text === 'string' ? fillIn(text, message.params, this.tag) : inEnglish(message);
  }

  /** Kinds of data, such as `Observation/laboratory`, in the words of the consent page; each name once. */
  kindNames(kinds: readonly string[]): string[] {
    return [...new Set(kinds.map((kind) => describeKind(kind, this.scopeText)))];
  }

  private readonly scopeText = (place: string, values: Record<string, string> = {}): string => {
    const text = place.split('.').reduce<unknown>(memberOf, this.scopes);
    return typeof text === 'string' ? fillIn(text, values, this.tag) : scopeTextInEnglish(place, values);
  };
}

export const english = new Language(englishTexts);

function memberOf(texts: unknown, name: string): unknown {
  return typeof texts === 'object' && texts !== null && Object.hasOwn(texts, name)
    ? (texts as Record<string, unknown>)[name]
    : undefined;
}
