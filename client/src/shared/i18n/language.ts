import type { LanguageTexts } from '../../../../src/contract/language.js';
import { amountOf, type DurationUnit, describeDuration } from '../../../../src/contract/messages/duration.js';
import { listAfterColon } from '../../../../src/contract/rules/text.js';
import { portalPath } from '../addresses/base-path.js';
import { i18n } from './i18n.js';

/** Longest wait for another language; English comes with the pages. */
const longestWaitMs = 5_000;

/** The app's wish (`ui_locales`, OpenID Connect Core §3.1.2.1) before the browser's. */
export function wantedLanguages(search: string, browser: readonly string[]): string[] {
  const asked = new URLSearchParams(search).get('ui_locales')?.split(' ').filter(Boolean) ?? [];
  return [...asked, ...browser];
}

/**
 * Switches to the best match of the wanted languages that this portal has, before anything is shown. For a user who
 * wants English first nothing is loaded; without the texts of another language English is shown.
 */
export async function chooseLanguage(wanted: readonly string[]): Promise<void> {
  if (/^en(-US)?$/i.test(wanted[0] ?? 'en')) return;
  const query = new URLSearchParams({ wanted: wanted.join(' ') });
  const answer = await fetch(portalPath(`/api/language?${query}`), {
    signal: AbortSignal.timeout(longestWaitMs),
  }).catch(() => null);
  if (!answer?.ok) return;
  const { tag, direction, texts } = (await answer.json()) as LanguageTexts;
  i18n.addResourceBundle(tag, 'translation', texts);
  await i18n.changeLanguage(tag);
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
}

/** For `Intl`: English is the American way (`spec §9`). */
export function locale(): string {
  return i18n.language === 'en' ? 'en-US' : i18n.language;
}

/** A number as it is written where the page's language is. */
export function numeral(number: number): string {
  return new Intl.NumberFormat(locale()).format(number);
}

/** Names after a colon: 'Redirect URIs, Require PKCE, Tags'. */
export function plainList(names: readonly string[]): string {
  return listAfterColon(names, locale());
}

/** Names within a sentence: 'Redirect URIs, Require PKCE, and Tags'. */
export function listOf(names: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(names);
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Seconds as days, hours, minutes and seconds: '1 day 2 hours'. */
export function exactDuration(seconds: number): string {
  return describeDuration(seconds, locale());
}

/** '60 minutes'. */
export function amount(number: number, unit: DurationUnit): string {
  return amountOf(number, unit, locale());
}

/** Seconds in the largest unit that needs no fraction: '90 days', '36 hours'. */
export function duration(seconds: number): string {
  const [unit, size] = units.find(([, length]) => seconds % length === 0) ?? units[3];
  return amountOf(seconds / size, unit, locale());
}

/** The way the page is read in. */
export function direction(): 'ltr' | 'rtl' {
  return document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr';
}

/** With a capital letter at its beginning: a word of the configuration that stands alone. */
export function capitalized(word: string): string {
  const [first = ''] = word;
  return first.toLocaleUpperCase(locale()) + word.slice(first.length);
}
