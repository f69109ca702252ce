import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Problem } from '../errors.js';

/** Answered as it is, through Express or Koa. */
export interface Page {
  headers: Record<string, string>;
  body: string;
}

/** A built file and the compressed copies that lie beside it. */
export interface ClientFile {
  path: string;
  encodings: Partial<Record<'br' | 'gz', string>>;
}

/**
 * The built React client. Its files are listed once, at start: an address is looked up in that list and never becomes a
 * path, so nothing beside the client's own files can be asked for.
 */
export class ClientPages {
  private readonly files: Map<string, ClientFile>;
  private readonly template: string | undefined;

  constructor(folder: string) {
    const built = list(folder);
    this.files = publicFiles(built);
    const document = built.get('/index.html');
    this.template = document && readFileSync(document, 'utf8');
  }

  /** The file under this path, if the client has it. */
  file(path: string): ClientFile | undefined {
    return this.files.get(path);
  }

  /**
   * The client's document, with scripts and styles allowed by a nonce of this answer alone (security T-01). `error` makes
   * it show that error page whatever the address is: the authorization endpoint has no safe place to redirect to.
   */
  page(options: { error?: 400 | 500 } = {}): Page {
    if (this.template === undefined) {
      throw new Problem('unavailable', 'The pages are not built yet. Please run `npm run build` and start again.');
    }
    const nonce = randomBytes(16).toString('base64');
    const { error } = options;
    const document = error
      ? this.template.replace('</head>', `<meta name="gatehouse-error" content="${error}" /></head>`)
      : this.template;
    return {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy(nonce),
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Cache-Control': 'no-store',
      },
      body: document.replaceAll('__CSP_NONCE__', nonce),
    };
  }
}

function contentSecurityPolicy(nonce: string): string {
  return [
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
  ].join('; ');
}

function list(folder: string): Map<string, string> {
  const entries = readFolder(folder).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [`/${relative(folder, path).split(sep).join('/')}`, path];
    }),
  );
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Without the document (its nonce must be filled in), source maps, hidden files and the compressed copies themselves. */
function publicFiles(built: Map<string, string>): Map<string, ClientFile> {
  const names = [...built.keys()].filter((name) => !/\.(html|map|br|gz)$|\/\./.test(name));
  return new Map(
    names.map((name) => {
      const encodings = (['br', 'gz'] as const).flatMap((encoding) => {
        const path = built.get(`${name}.${encoding}`);
        return path ? [[encoding, path] as const] : [];
      });
      return [name, { path: built.get(name) as string, encodings: Object.fromEntries(encodings) }];
    }),
  );
}
