import type { KoaContextWithOIDC } from 'oidc-provider';
import { enginePaths } from './engine-paths.js';

/** Whoever verifies our tokens keeps the key set for a while: never for so long that it misses a key that already signs. */
export function keySetCaching(maxAgeSeconds: number) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.path === enginePaths.jwks && ctx.status === 200) {
      ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`);
    }
  };
}
