import { locale } from '../../i18n/language.js';

/** True if the name has each of these words. */
export function hasWords(name: string, term: string): boolean {
  const lower = (text: string) => text.toLocaleLowerCase(locale());
  return lower(term)
    .split(/\s+/)
    .every((word) => lower(name).includes(word));
}
