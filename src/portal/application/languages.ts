import { Injectable } from '@nestjs/common';
import type { LanguageTexts } from '../../contract/language.js';
import { Config } from '../../platform/config/config.js';
import { readTexts } from '../../platform/config/language.js';

const english: LanguageTexts = { tag: 'en', direction: 'ltr', texts: {} };

/** English, which the pages bring along, and those that the deployer has added. */
@Injectable()
export class Languages {
  private readonly byTag: ReadonlyMap<string, LanguageTexts>;

  constructor({ languages }: Config) {
    const added = languages.map(({ tag, file, direction }) => ({ tag, direction, texts: readTexts(file) }));
    this.byTag = new Map([english, ...added].map((one) => [one.tag.toLowerCase(), one]));
  }

  /** The first that there is, each cut from its end until it fits (`RFC 4647 §3.4`); English when none does. */
  bestFor(wanted: readonly string[]): LanguageTexts {
    for (const tag of wanted) {
      for (let range = tag.toLowerCase(); range !== ''; range = range.slice(0, Math.max(0, range.lastIndexOf('-')))) {
        const found = this.byTag.get(range);
        if (found) return found;
      }
    }
    return english;
  }
}
