import { requestContext } from '../request/scope.js';

/** Path of the issuer, which belongs to the portal alone; empty where the portal has the whole host. */
export function basePathOf(issuer: string): string {
  return issuer.replace(/^https?:\/\/[^/]*/, '').replace(/\/$/, '');
}

/**
 * Path of the portal as a browser names it. Inside of the process every path is relative to the base path: the front
 * door removes it from requests and adds it to redirects. This function is for paths in documents, cookies and queries.
 */
export function portalPath(path: string): string {
  return basePathAtHand() + path;
}

/** Path inside of the process for a path that a browser sent; undefined for one outside of the portal. */
export function insidePath(path: string): string | undefined {
  return withoutBase(path, basePathAtHand());
}

/**
 * Removes the base path, also from a URL without its origin: a query stays. The base path itself becomes the portal's
 * root.
 */
export function withoutBase(path: string, base: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const rest = path.slice(base.length);
  if (rest.startsWith('/')) return rest;
  return base !== '' && (rest === '' || rest.startsWith('?')) ? `/${rest}` : undefined;
}

function basePathAtHand(): string {
  return basePathOf(requestContext.getStore()?.issuer ?? '');
}
