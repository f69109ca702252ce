import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { continuationFault } from '../activity/launch-notes.js';
import { productRoot } from '../process/product.js';
import { portalPath } from './base-path.js';

/** Folder of the built React application. */
export const clientFolder = join(productRoot, 'dist/client');

let template: string | undefined;

interface Document {
  html: string;
  headers: Record<string, string>;
}

/** The document that shows an error page at any address: for responses that must not redirect. */
export function errorDocument(error: 400 | 429 | 500, reference?: string): Document {
  const members = { error: String(error), reference, reason: error === 400 ? continuationFault() : undefined };
  const known = Object.entries(members).filter(([, content]) => content !== undefined);
  return clientDocument(
    known.map(([name, content]) => `<meta name="gatehouse-${name}" content="${content}">`).join(''),
  );
}

/** The application's one HTML document, with a new nonce per response and the given HTML added to its head and body. */
export function clientDocument(head: string, body = ''): Document {
  template ??= readFileSync(join(clientFolder, 'index.html'), 'utf8');
  const nonce = randomBytes(16).toString('base64');
  const base = portalPath('');
  const ofBase = base === '' ? '' : `<meta name="gatehouse-base" content="${base}">`;
  return {
    html: template
      .replaceAll('__CSP_NONCE__', nonce)
      .replaceAll(/(?<=\s(?:src|href)=")\.\//g, `${base}/`)
      .replace('</head>', () => `${ofBase}${head}</head>`)
      .replace('<body>', () => `<body>${body}`),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': [
        "default-src 'none'",
        `script-src 'self' 'nonce-${nonce}'`,
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ].join('; '),
    },
  };
}
