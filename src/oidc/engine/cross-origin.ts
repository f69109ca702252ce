import type { KoaContextWithOIDC } from 'oidc-provider';
import { discoveryPath, enginePaths } from '../domain/engine-paths.js';

/** Public paths: the response is the same for all origins, so `*` replaces the reflected origin. */
const openPaths: readonly string[] = [discoveryPath, enginePaths.jwks];
const longestPreflightSeconds = 600;

/**
 * Runs after a request: restricts the engine's CORS headers (security T-04). The origins that may use a client's
 * endpoints are checked when the client is known; `null` is the origin of any sandboxed page.
 */
export function limitCrossOrigin(ctx: KoaContextWithOIDC): void {
  const allowed = ctx.res.getHeader('Access-Control-Allow-Origin');
  if (allowed === undefined) return;
  if (openPaths.includes(ctx.path)) ctx.set('Access-Control-Allow-Origin', '*');
  else if (allowed === 'null') ctx.remove('Access-Control-Allow-Origin');
  if (ctx.res.hasHeader('Access-Control-Max-Age')) {
    ctx.set('Access-Control-Max-Age', String(longestPreflightSeconds));
  }
}
