import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { launchMembers } from '../../domain/launch.js';
import type { EngineAccount } from '../shared/accounts-for-engine.js';
import { type GrantExtras, gatehouseClient } from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';
import { grantOf } from '../shared/token-grants.js';

interface Token {
  kind: string;
  grantId?: string;
  scopes?: Set<string>;
  scope?: string;
}

type Claims = Record<string, unknown>;

/**
 * Claims that an administrator configured for a client's tokens: always in those of a service, in those of users if the
 * client is configured for it. Several values of one name become a list. Names of the token's own claims cannot be
 * registered.
 */
function clientClaims(settings: ClientSettings, fhirBase: string): Record<string, unknown> {
  if (settings.clientClaims.length === 0) return {};
  const claims = new Map<string, string[]>();
  for (const { name, value } of settings.clientClaims) {
    const full = settings.clientClaimPrefix + name;
    claims.set(full, [...(claims.get(full) ?? []), full === 'fhirUser' ? `${fhirBase}/${value}` : value]);
  }
  return Object.fromEntries([...claims].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

/**
 * Claims of an access token beyond those of the engine, repeated by introspection: launch context, `fhirUser`, its
 * grant, and how and when the user signed in, which a refresh does not change (RFC 9068 §2.2.1, RFC 9470 §6).
 */
export function tokenClaims(bases: RequestedBases, styleUrl: string) {
  return (ctx: KoaContextWithOIDC, token: Token): Claims | Promise<Claims> =>
    token.kind === 'AccessToken' ? ofPerson(ctx, token) : ofService(ctx);

  function ofService(ctx: KoaContextWithOIDC): Claims {
    const { settings } = gatehouseClient(ctx.oidc.client);
    const { url: fhirBase, tenant } = bases.forRequest(ctx);
    return { ...clientClaims(settings, fhirBase), ...(tenant ? { tenant: tenant.id } : {}) };
  }

  async function ofPerson(ctx: KoaContextWithOIDC, token: Token): Promise<Claims> {
    const { settings } = gatehouseClient(ctx.oidc.client);
    const { url: fhirBase, tenant } = bases.forRequest(ctx);
    const { launch = {}, representation } = (ctx.oidc.entities.Grant ?? {}) as GrantExtras;
    const { enableLegacyFhirContext: legacyFhirContext } = settings;
    const { claims } = ctx.oidc.entities.Account as EngineAccount;
    const { fhirUser } = await claims('userinfo', 'fhirUser', {}, []);
    return {
      ...(settings.alwaysSendClientClaims ? clientClaims(settings, fhirBase) : {}),
      ...launchMembers(launch, { styleUrl, tenant: tenant?.id, legacyFhirContext }),
      ...(token.scope?.split(' ').includes('fhirUser') && fhirUser !== undefined ? { fhirUser } : {}),
      grant: token.grantId,
      ...(representation && { representation: representation.id }),
      ...signInClaims(ctx),
    };
  }
}

/** The claims about the sign-in of the access that the token is issued from. */
function signInClaims(ctx: KoaContextWithOIDC): Claims {
  const { acr, authTime } = grantOf(ctx)?.source(ctx) ?? {};
  return { ...(acr !== undefined && { acr }), ...(authTime !== undefined && { auth_time: authTime }) };
}
