import type { KoaContextWithOIDC } from 'oidc-provider';
import type { EngineAccount } from './accounts-for-engine.js';
import { type GrantExtras, gatehouseClient } from './engine-models.js';
import { launchMembers, type SharedSurroundings } from './launch.js';

interface Token {
  kind: string;
  grantId?: string;
  scopes?: Set<string>;
  scope?: string;
}

/** What an access token says beyond RFC 9068, and introspection repeats: launch context, `fhirUser`, and its grant. */
export function tokenClaims(shared: SharedSurroundings) {
  return async (ctx: KoaContextWithOIDC, token: Token): Promise<Record<string, unknown> | undefined> => {
    if (token.kind !== 'AccessToken') return undefined;
    const { launch = {} } = (ctx.oidc.entities.Grant ?? {}) as GrantExtras;
    const { enableLegacyFhirContext: legacyFhirContext } = gatehouseClient(ctx.oidc.client).settings;
    const { claims } = ctx.oidc.entities.Account as EngineAccount;
    const { fhirUser } = await claims('userinfo', '', {}, []);
    return {
      ...launchMembers(launch, { ...shared, legacyFhirContext }),
      ...(token.scope?.split(' ').includes('fhirUser') && fhirUser !== undefined ? { fhirUser } : {}),
      grant: token.grantId,
    };
  };
}
