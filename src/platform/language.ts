import type { LanguageTexts } from '../contract/language.js';
import { inEnglish } from '../contract/messages/in-english.js';
import { fillIn, type Message } from '../contract/messages/message.js';

export const englishTexts: LanguageTexts = { tag: 'en', direction: 'ltr', texts: {} };

/** A language in which the server writes pages and mails. */
export class Language {
  readonly tag: string;
  readonly direction: LanguageTexts['direction'];
  private readonly texts: Readonly<Record<string, unknown>>;

  constructor({ tag, direction, texts }: LanguageTexts) {
    this.tag = tag;
    this.direction = direction;
    this.texts = (texts as { messages?: Record<string, unknown> }).messages ?? {};
  }

  /** The text of a message; English without a translation. */
  render(message: Message): string {
    const text = Object.hasOwn(this.texts, message.code) ? this.texts[message.code] : undefined;
    return typeof text === 'string' ? fillIn(text, message.params, this.tag) : inEnglish(message);
  }
}

export const english = new Language(englishTexts);
