/**
 * An invented language, made from English: readable, a third longer, and in brackets, which shows texts that
 * are not in the catalogue or are composed of several.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { texts as english } from '../../../client/texts.js';

const accented: Record<string, string> = { a: 'å', e: 'é', i: 'ï', o: 'ö', u: 'ü', c: 'ç', n: 'ñ', s: 'š', y: 'ý' };

/** A text of the catalogue in the invented language. Leaves parameters (`{{name}}`) and tags (`<apps>`) unchanged. */
export function pseudo(text: string): string {
  const parts = text.split(/(\{\{\w+\}\}|<\/?\w+>)/);
  const strange = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replace(/[a-z]/g, (a) => accented[a] ?? a),
  );
  const more = ' ~ö'.repeat(Math.ceil((text.length * 0.4) / 3));
  return `⟦${strange.join('')}${more}⟧`;
}

function translated(texts: object): object {
  const entries = Object.entries(texts) as [string, string | object][];
  return Object.fromEntries(
    entries.map(([key, text]) => [key, typeof text === 'string' ? pseudo(text) : translated(text)]),
  );
}

export interface PseudoLanguages {
  /** For `config.languages`: `de-XA`, and `ar-XB`, which is right-to-left. */
  config: { tag: string; file: string; direction: 'ltr' | 'rtl' }[];
  remove(): Promise<void>;
}

export async function makePseudoLanguages(): Promise<PseudoLanguages> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-languages-'));
  const file = join(folder, 'pseudo.json');
  await writeFile(file, JSON.stringify(translated(english)));
  return {
    config: [
      { tag: 'de-XA', file, direction: 'ltr' },
      { tag: 'ar-XB', file, direction: 'rtl' },
    ],
    remove: () => rm(folder, { recursive: true }),
  };
}

const months = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('de', { month: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, month, 15))),
);

/** The reference of a launch. */
const reference = /\b\w{2}-\w{4}-\w{2}\b/g;

/**
 * The visible or announced texts of the page that are not from the catalogue, except references of launches and those
 * in `data`.
 */
export async function foreignTexts(page: Page, data: readonly string[]): Promise<string[]> {
  const { texts, labels } = await page.evaluate<{ texts: string; labels: string[] }>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const { parentElement, previousSibling, data } = walker.currentNode;
      if (parentElement.closest('code, script, style, noscript, pre, [lang=en]') || !parentElement.checkVisibility()) continue;
      // A text continues after a place where its line may break.
      if (previousSibling?.nodeName === 'WBR') texts.push(texts.pop() + data);
      else texts.push(data);
    }
    const labels = [...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')].flatMap((element) =>
      element.closest('[aria-hidden=true], [lang=en]') ? [] : ['aria-label', 'title', 'placeholder', 'alt'].flatMap((name) => element.getAttribute(name) ?? []));
    return { texts: texts.join('\\n'), labels: [...labels, document.title] };
  })()`);
  const known = [...data, ...months].toSorted((one, other) => other.length - one.length);
  const left = [texts, ...labels].flatMap((text) => {
    // A time follows its date by a word of `Intl`.
    const dated = text.replace(/(\d{4}) um (?=\d)/g, '$1 ');
    let rest = known.reduce((some, word) => some.replaceAll(word, ''), dated.replaceAll(reference, ''));
    for (let before = ''; before !== rest; ) [before, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/gs, '')];
    // What is left of a list is its separators, by `Intl`.
    return rest.split('\n').map((line) => line.replace(/^[\s,]+und\s+$/, ''));
  });
  return left.filter((line) => /\p{L}/u.test(line));
}
