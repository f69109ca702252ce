import type Provider from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';

interface Facts {
  route: 'token' | 'introspection';
  client: Client;
  params: Record<string, string>;
}

/**
 * Gives a request that does not pass the engine the facts that the engine would have about it at this point. The engine
 * replaces them if the request continues to it.
 */
export function describeRequest(provider: Provider, ctx: KoaContextWithOIDC, { route, client, params }: Facts): void {
  const { OIDCContext } = provider as unknown as { OIDCContext: new (ctx: unknown) => KoaContextWithOIDC['oidc'] };
  const oidc = new OIDCContext(ctx);
  Object.assign(oidc, { route, params });
  oidc.entity('Client', client);
  Object.defineProperty(ctx, 'oidc', { value: oidc, configurable: true });
}
