import { isPage } from './pages.js';

/** Both spellings are in use (`spec §2` Login). */
export function returnUrlOf(search: string): string | null {
  const query = new URLSearchParams(search);
  return query.get('returnUrl') ?? query.get('ReturnUrl');
}

export interface KnownReturnUrl {
  /** Path and query, without the origin. */
  to: string;
  /** The server's own address, to be left for by a full-page navigation, rather than a page of this application. */
  onServer: boolean;
}

/**
 * A return URL is followed only when it is ours: same origin, and either a pending authorization or a page of this
 * application. Everything else is ignored, or the sign-in page would send people on to an attacker's copy of it
 * (RFC 9700 §4.11). The URL parser sees it as the browser does: `//host`, `/\host` and `javascript:` have another origin.
 */
export function knownReturnUrl(raw: string | null, origin: string): KnownReturnUrl | null {
  if (!raw || !URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.origin !== origin) return null;
  const onServer = url.pathname.startsWith('/connect/authorize/');
  if (!onServer && !isPage(url.pathname)) return null;
  return { to: url.pathname + url.search + url.hash, onServer };
}

/** A page of this application that passes the return URL on. */
export function withReturnUrl(path: string, returnUrl: string | null): string {
  return returnUrl ? `${path}?${new URLSearchParams({ returnUrl })}` : path;
}
