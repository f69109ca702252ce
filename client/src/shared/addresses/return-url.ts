import { isPage, stepPaths } from '../../../../src/contract/rules/pages.js';
import { homes, isWithin } from './areas.js';
import { basePath, insidePath, portalPath } from './base-path.js';

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
 * application. Everything else is ignored, or the sign-in page would send people on to an attacker's copy of it (RFC
 * 9700 §4.11). The URL parser sees it as the browser does: `//host`, `/\host` and `javascript:` have another origin.
 */
export function knownReturnUrl(raw: string | null, origin: string, base = basePath): KnownReturnUrl | null {
  if (!raw || !URL.canParse(raw, origin)) return null;
  const url = new URL(raw, origin);
  if (url.origin !== origin) return null;
  const inside = insidePath(url.pathname, base);
  if (inside === null) return null;
  // A sign-in at another provider begins with a click, never with an address of another site.
  const onServer = inside.startsWith('/connect/authorize/') && !inside.startsWith('/connect/authorize/external');
  if (!onServer && !isPage(inside)) return null;
  const rest = url.search + url.hash;
  return { address: url.pathname + rest, to: (onServer ? url.pathname : inside) + rest, onServer };
}

/** The page of an authorization that cannot be gone on with. */
export function endedPage(returnUrl: string | null): string {
  return withReturnUrl('/error/400', returnUrl);
}

/** The same where the server itself answers with the error page, under the address that it answers. */
export function endedAt({ pathname, search }: Pick<Location, 'pathname' | 'search'>, error?: string): string | null {
  const inside = insidePath(pathname) ?? '';
  const shown = new URLSearchParams(search);
  // The server checks what the address shows: a request that may not begin yet shows the client's own parameters.
  const isStart = error === '429' && inside === '/connect/authorize';
  const id = isStart ? 'none' : /^\/connect\/authorize\/([\w-]+)$/.exec(inside)?.[1];
  const [app, at] = isStart ? [shown.get('client_id'), shown.get('redirect_uri')] : [shown.get('app'), shown.get('at')];
  if (!id || !app || !at) return null;
  return `${portalPath('/connect/authorize/callback')}?${new URLSearchParams({ client_id: app, redirect_uri: at, ix: id })}`;
}

/** A page of this application that passes the return URL on. */
export function withReturnUrl(path: string, returnUrl: string | null): string {
  return returnUrl ? `${path}?${new URLSearchParams({ returnUrl })}` : path;
}

/**
 * The page that a signed-out person has asked for, to continue to after signing in; null for a home, where one comes
 * anyway, and for a step of an authorization, which has a return URL of its own.
 */
export function deepLink(path: string, search: string): string | null {
  const query = search.replace(/^\?/, '');
  const isInArea = isWithin('/admin', path) || isWithin('/user', path);
  if (!isInArea || !isPage(path) || stepPaths.includes(path) || returnUrlOf(query)) return null;
  return query === '' && Object.values<string>(homes).includes(path) ? null : portalPath(path) + (query && `?${query}`);
}
