import type { IncomingMessage } from 'node:http';
import type { LanguageTexts } from '../../contract/language.js';
import type { Config } from '../config/config.js';
import { readTexts } from '../config/language.js';
import { requestContext } from '../request/scope.js';
import { english, englishTexts, Language } from './language.js';

/** Browsers send fewer; more would only cost time. */
const mostWanted = 20;

/** English, and the languages that the deployer has added. */
export class Languages {
  private readonly texts: ReadonlyMap<string, LanguageTexts>;
  private readonly languages: ReadonlyMap<LanguageTexts, Language>;

  constructor(added: Config['languages']) {
    const all = [
      englishTexts,
      ...added.map(({ tag, file, direction }) => ({ tag, direction, texts: readTexts(file) })),
    ];
    this.texts = new Map(all.map((one) => [one.tag.toLowerCase(), one]));
    this.languages = new Map(all.map((one) => [one, new Language(one)]));
  }

  /**
   * The first of the wanted ones that exists, each cut from its end until it fits (`RFC 4647 §3.4`); otherwise English.
   */
  bestFor(wanted: readonly string[]): LanguageTexts {
    return this.textsFor(wanted) ?? englishTexts;
  }

  language(wanted: readonly string[]): Language {
    return this.firstKnown(wanted) ?? english;
  }

  /** Undefined when none of the wanted ones exists. */
  firstKnown(wanted: readonly string[]): Language | undefined {
    const texts = this.textsFor(wanted);
    return texts && this.languages.get(texts);
  }

  private textsFor(wanted: readonly string[]): LanguageTexts | undefined {
    for (const tag of wanted) {
      for (let range = tag.toLowerCase(); range !== ''; range = range.slice(0, Math.max(0, range.lastIndexOf('-')))) {
        const found = this.texts.get(range);
        if (found) return found;
      }
    }
    return undefined;
  }
}

/** The language of the current request; English outside of a request. */
export function currentLanguage(): Language {
  return requestContext.getStore()?.language() ?? english;
}

/** The app's wish (`ui_locales`, OpenID Connect Core §3.1.2.1) before those of the browser, the most wanted first. */
export function wantedLanguages({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string[] {
  const asked = new URLSearchParams(url.split('?', 2)[1]).get('ui_locales') ?? '';
  return [...asked.split(' ').filter(Boolean), ...acceptedLanguages(headers['accept-language'] ?? '')].slice(
    0,
    mostWanted,
  );
}

/** The tags of an `Accept-Language` header by their weight (RFC 9110 §12.5.4). */
function acceptedLanguages(header: string): string[] {
  return header
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';').map((part) => part.trim());
      const weight = parameters.find((part) => /^q=/i.test(part))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
