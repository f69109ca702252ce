import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

const folder = join(import.meta.dirname, 'src', 'shared', 'fonts');
const sheets = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
/** A part of each font's file name: what is left of a font changes with its sheet. */
const version = createHash('sha256').update(sheets.join('')).digest('base64url').slice(0, 8);

export const fontFileNames = `assets/[name]-[hash]-${version}[extname]`;

/**
 * Leaves in each font the characters (`unicode-range`) and weights (`font-weight`) that its style sheet declares: a
 * browser asks it for nothing else, and a page of text waits for the font.
 */
export function fontSubsets(): Plugin {
  return {
    name: 'gatehouse:font-subsets',
    apply: 'build',
    async generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'asset' || !output.fileName.endsWith('.woff2')) continue;
        const [original = ''] = output.names;
        const sheet =
          sheets.find((one) => one.includes(`/${original}"`)) ?? this.error(`${original} has no style sheet`);
        const { characters, weights } = declared(sheet) ?? this.error(`The sheet of ${original} declares no subset`);
        const variationAxes = { wght: weights };
        const source = Buffer.from(output.source);
        output.source = await subsetFont(source, characters, { targetFormat: 'woff2', variationAxes });
      }
    },
  };
}

function declared(sheet: string) {
  const [, min, max] = /font-weight: (\d+) (\d+);/.exec(sheet) ?? [];
  const [, ranges = ''] = /unicode-range:([^;]*);/.exec(sheet) ?? [];
  const codes = Array.from(ranges.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g), ([, first = '', last = first]) => {
    const start = Number.parseInt(first, 16);
    return Array.from({ length: Number.parseInt(last, 16) - start + 1 }, (_, index) => start + index);
  }).flat();
  if (codes.length === 0 || !min || !max) return null;
  return { characters: String.fromCodePoint(...codes), weights: { min: Number(min), max: Number(max) } };
}
