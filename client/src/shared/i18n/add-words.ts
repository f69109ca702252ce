import i18next from 'i18next';

/** The words of each file, by its folder. A file adds its own: `declare module` in any `words/en.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: each file of words adds a member.
export interface Words {}

type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: All<Words[keyof Words]> };
  }
}

/** React escapes what is put into a text, so i18next must not do it a second time. */
export const i18n = i18next.createInstance();
void i18n.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: {} } },
  interpolation: { escapeValue: false },
  initAsync: false,
});

/**
 * Adds English texts to the catalogue, for those who import the file of words: a page imports its own, so they are in
 * its chunk and there before it is rendered. Several files may add to one section.
 */
export function addWords<const Section extends object>(words: Section): Section {
  i18n.addResourceBundle('en', 'translation', words, true);
  return words;
}
