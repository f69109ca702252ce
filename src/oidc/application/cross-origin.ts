import type { KoaContextWithOIDC } from 'oidc-provider';
import { discoveryPath, enginePaths } from './engine-paths.js';

/** Read by anybody: the same for all, so no origin is reflected. */
const openPaths: readonly string[] = [discoveryPath, enginePaths.jwks];
const longestPreflightSeconds = 600;

/**
 * After a request: what the engine lets other origins do, less what it gives too freely (security T-04). Which origins
 * may use a client's endpoints is decided where the client is known; `null` is the origin of anybody's sandboxed page.
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
