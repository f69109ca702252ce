import { createRequire } from 'node:module';
import type sanitizeHtml from 'sanitize-html';
import type { IOptions } from 'sanitize-html';

/** Loaded with the first disclaimer: a node without disclaimers does not need it. */
const load = createRequire(import.meta.url);
const sanitize = (html: string, options: IOptions): string =>
  (load('sanitize-html') as typeof sanitizeHtml)(html, options);

const text = ['p', 'br', 'hr', 'blockquote', 'pre', 'code', 'strong', 'b', 'em', 'i', 'u', 's', 'small', 'sub', 'sup'];
const lists = ['ul', 'ol', 'li', 'dl', 'dt', 'dd'];
const tables = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];

/** Below the heading of the dialog that shows the text. */
const headings = { h1: 'h3', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6', h6: 'h6' };

/**
 * Sanitises a disclaimer's HTML for the browser: keeps text with its structure, and links to other sites. No script,
 * style, form, frame or picture, no `id`, `class` or `name` (security L-01, L-02).
 */
export function sanitisedHtml(html: string): string {
  return sanitize(html, {
    allowedTags: [...text, ...lists, ...tables, ...Object.values(headings), 'a', 'span', 'div'],
    allowedAttributes: {
      '*': ['lang', 'dir'],
      a: ['href', 'target', 'rel'],
      ol: ['start'],
      th: ['colspan', 'rowspan', 'scope'],
      td: ['colspan', 'rowspan'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    transformTags: {
      ...headings,
      a: (_tag, { href = '', ...others }) =>
        isElsewhere(href)
          ? { tagName: 'a', attribs: { ...others, href, target: '_blank', rel: 'noopener noreferrer' } }
          : { tagName: 'span', attribs: {} },
    },
  }).trim();
}

/** A disclaimer is written by a third party, so it may not link to the portal itself. */
function isElsewhere(href: string): boolean {
  return URL.canParse(href) && /^(https?|mailto):$/.test(new URL(href).protocol);
}

/** True if the HTML has text to read. */
export function hasText(html: string): boolean {
  return sanitize(html, { allowedTags: [], allowedAttributes: {} }).trim() !== '';
}
