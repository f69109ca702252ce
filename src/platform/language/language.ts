import type { LanguageTexts } from '../../contract/language.js';
import { type Message, valuesOf } from '../../contract/messages/message.js';
import { describeKind } from '../../contract/rules/scopes/scope-description.js';
import { isolated } from '../../contract/rules/text.js';
import { type Translate, translator } from './translator.js';

export const englishTexts: LanguageTexts = { tag: 'en', direction: 'ltr', texts: {} };

/** A language in which the server writes pages and mails. */
export class Language {
  readonly tag: string;
  readonly direction: LanguageTexts['direction'];
  private readonly translate: Translate;

  constructor({ tag, direction, texts }: LanguageTexts) {
    this.tag = tag;
    this.direction = direction;
    this.translate = translator(tag, texts);
  }

  /** The text of a message; English without a translation. */
  render({ code, params }: Message): string {
    const values = Object.entries(valuesOf(params, this.tag)).map(([name, value]) => [
      name,
      typeof value === 'string' ? isolated(value, this.direction) : value,
    ]);
    return this.translate(`messages.${code}`, Object.fromEntries(values));
  }

  /** Kinds of data, such as `Observation/laboratory`, in the words of the consent page; each name once. */
  kindNames(kinds: readonly string[]): string[] {
    const text = (place: string, values?: Record<string, string>) => this.translate(`scopes.${place}`, values);
    const say = Object.assign(text, { language: this.tag });
    return [...new Set(kinds.map((kind) => describeKind(kind, say)))];
  }
}

export const english = new Language(englishTexts);
