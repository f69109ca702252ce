import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Writes `early.css` into the document, and the link of the style sheet behind what these styles show: a browser shows
 * nothing before the style sheets of the head are there, which on a phone takes as long as all scripts. The application
 * still waits for the sheet, as every script does for a style sheet before it.
 */
export function earlyStyles(): Plugin {
  return {
    name: 'gatehouse:early-styles',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const css = readFileSync(join(import.meta.dirname, 'src', 'app', 'early.css'), 'utf8')
          .replaceAll(/\/\*.*?\*\//gs, '')
          .replaceAll(/\s+/g, ' ');
        const sheets = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
        const early = sheets.map((link) => link.replace('rel="stylesheet"', 'rel="preload" as="style"'));
        return sheets
          .reduce((rest, link, index) => rest.replace(link, early[index] ?? ''), html)
          .replace('</head>', () => `<style>${css.trim()}</style></head>`)
          .replace('<div id="root">', (root) => sheets.join('') + root);
      },
    },
  };
}
