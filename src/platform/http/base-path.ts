import { requestContext } from '../scope.js';

/** The path of the issuer, which the portal has to itself on its host; empty where it has the whole host. */
export function basePathOf(issuer: string): string {
  return issuer.replace(/^https?:\/\/[^/]*/, '').replace(/\/$/, '');
}

/**
 * How a browser names an address of the portal. Inside of the process every address is as if the portal had the host to
 * itself: the front door takes the base path off requests and puts it on redirects. This is for what is written into
 * documents, cookies and queries.
 */
export function portalPath(path: string): string {
  return basePathAtHand() + path;
}

/** The address inside of the process for one that a browser named; undefined for one outside of the portal. */
export function insidePath(path: string): string | undefined {
  return withoutBase(path, basePathAtHand());
}

/** Also of a URL without its origin: a query stays. The base path itself is the portal's root. */
export function withoutBase(path: string, base: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const rest = path.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return base !== '' && (rest === '' || rest.startsWith('?')) ? `/${rest}` : undefined;
}

function basePathAtHand(): string {
  return basePathOf(requestContext.getStore()?.issuer ?? '');
}
