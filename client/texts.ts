import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { english } from '../src/contract/messages/catalogue.js';

export type Texts = { readonly [key: string]: string | Texts };

const source = join(import.meta.dirname, 'src');

/** The texts of each `words/en.ts`, by the path of the file. */
export const wordsByFile: ReadonlyMap<string, Texts> = new Map(
  await Promise.all(
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?:^|[\\/])words[\\/]en\.ts$/.test(name))
      .sort()
      .map(async (name): Promise<[string, Texts]> => {
        const file = join(source, name);
        return [file, (await import(/* @vite-ignore */ pathToFileURL(file).href)).words];
      }),
  ),
);

/** All texts for translators: those of the pages, and every message of rules, refusals, server pages and mails. */
export const texts: Texts = [...wordsByFile.values()].reduce(merged, { messages: english });

/** Texts of two files, which may be in one section. */
export function merged(one: Texts, other: Texts): Texts {
  const all: Record<string, string | Texts> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = all[key];
    all[key] = isTexts(known) && isTexts(value) ? merged(known, value) : value;
  }
  return all;
}

export function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null;
}
