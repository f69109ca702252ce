import i18next, { type TOptions } from 'i18next';
import { english } from '../../contract/messages/catalogue.js';
import { type Message, valuesOf } from '../../contract/messages/message.js';
import { scopeWords } from '../../contract/rules/scopes/scope-words.js';

/** Returns the text at a key of the catalogue (`messages.too-long`), with the values filled in. */
export type Translate = (key: string, values?: TOptions) => string;

const inEnglishOnly = { messages: english, scopes: scopeWords };

/** Texts of a language, as pages have them (`client/src/shared/i18n`): plurals by CLDR, English for a missing text. */
export function translator(tag: string, texts: object): Translate {
  const i18n = i18next.createInstance();
  void i18n.init({
    lng: tag,
    fallbackLng: 'en',
    load: 'currentOnly',
    resources: { [tag]: { translation: texts }, en: { translation: inEnglishOnly } },
    // HTML is escaped by what prints it.
    interpolation: { escapeValue: false },
    // A value that is not there is left out.
    missingInterpolationHandler: () => '',
    initAsync: false,
  });
  return i18n.t as Translate;
}

const translate = translator('en', {});

/** The words of the specification. They are part of the API, whatever language the caller reads. */
export function inEnglish({ code, params }: Message): string {
  return translate(`messages.${code}`, valuesOf(params));
}
