import { basePath, insidePath } from './base-path.js';
import { isPage } from './pages.js';

/** Both spellings are in use (`spec §2` Login). */
export function returnUrlOf(search: string): string | null {
  const query = new URLSearchParams(search);
  return query.get('returnUrl') ?? query.get('ReturnUrl');
}

export interface KnownReturnUrl {
  /** Path and query, without the origin, as another return URL says it. */
  address: string;
  /** The same for the router, where it is one of its pages. */
  to: string;
  /** The server's own address, to be left for by a full-page navigation, rather than a page of this application. */
  onServer: boolean;
}

/**
 * A return URL is followed only when it is ours: same origin, and either a pending authorization or a page of this
 * application. Everything else is ignored, or the sign-in page would send people on to an attacker's copy of it
 * (RFC 9700 §4.11). The URL parser sees it as the browser does: `//host`, `/\host` and `javascript:` have another origin.
 */
export function knownReturnUrl(raw: string | null, origin: string, base = basePath): KnownReturnUrl | null {
  if (!raw || !URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.origin !== origin) return null;
  const inside = insidePath(url.pathname, base);
  if (inside === null) return null;
  const onServer = inside.startsWith('/connect/authorize/');
  if (!onServer && !isPage(inside)) return null;
  const rest = url.search + url.hash;
  return { address: url.pathname + rest, to: (onServer ? url.pathname : inside) + rest, onServer };
}

/** A page of this application that passes the return URL on. */
export function withReturnUrl(path: string, returnUrl: string | null): string {
  return returnUrl ? `${path}?${new URLSearchParams({ returnUrl })}` : path;
}
