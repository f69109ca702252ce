import type Provider from 'oidc-provider';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import type { TokenGrantType } from '../../../contract/rules/client-values.js';
import type { PresentedRecord } from '../../../oidc-store/infrastructure/presented-records.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';

/** The known facts about a refused token request of a client that has authenticated. */
export interface RefusedGrant {
  ctx: KoaContextWithOIDC;
  error: errors.OIDCProviderError;
  /** The stored code or refresh token that it presented. */
  found: PresentedRecord | undefined;
  /** Thumbprint of the key of its DPoP proof; absent without a proof that can be read. */
  proofKey?: string | undefined;
}

/** The stored code or token from which a grant issues tokens of a user. */
interface GrantSource {
  scope?: string | undefined;
  acr?: string | undefined;
  /** Seconds since 1970. */
  authTime?: number | undefined;
}

/**
 * The questions of the engine's adaptation about a grant of the token endpoint. Each grant has one file in
 * `engine/grants`.
 */
export interface TokenGrant {
  type: TokenGrantType;
  /** The credential of the user's access that a request presents; absent for a grant without a user. */
  presents?: { model: PresentedModel; parameter: string; name: string };
  /** The parameters without which the engine refuses a request, and the others, next to those of the client. */
  parameters: { needed: readonly string[]; others: readonly string[] };
  /** The user's access of a request that the engine has accepted so far; undefined for a grant without a user. */
  source(ctx: KoaContextWithOIDC): GrantSource | undefined;
  /** The entry of a launch whose app has got tokens. */
  issued: 'tokens-issued' | 'tokens-refreshed';
  /** True if its tokens are a service's own, whose requests of one day are one launch. */
  isOfService?: boolean;
  /** The scopes of the token that is being issued for a FHIR base. */
  scopes(ctx: KoaContextWithOIDC, settings: ClientSettings, base: FhirBase): string[];
  /** Notes why a request got no tokens; false if the cause is none that this grant distinguishes. */
  noteRefusal?(refused: RefusedGrant): boolean;
  /** Runs after each request, in its transaction, when its answer is prepared. */
  complete?(ctx: KoaContextWithOIDC): void | Promise<void>;
}

type PresentedModel = 'AuthorizationCode' | 'RefreshToken';

const installed = new WeakMap<object, Map<string, TokenGrant>>();

/** Makes a grant known to the parts of the engine that treat all grants alike. */
export function installGrant(provider: Provider, grant: TokenGrant): void {
  const grants = installed.get(provider) ?? new Map<string, TokenGrant>();
  installed.set(provider, grants.set(grant.type, grant));
}

/** The grant that a token request names; undefined if it names none of these. */
export function grantOf({ oidc }: KoaContextWithOIDC): TokenGrant | undefined {
  return oidc && installed.get(oidc.provider)?.get(String(oidc.params?.grant_type));
}

/** The names of the parameters of all grants. */
export function grantParameters({ oidc }: KoaContextWithOIDC): Set<string> {
  const grants = [...(installed.get(oidc.provider)?.values() ?? [])];
  return new Set(grants.flatMap(({ parameters: { needed, others } }) => [...needed, ...others]));
}

/** The code or token that a request presents, whichever grant it names. */
export function presentedIn({ oidc }: KoaContextWithOIDC): { model: PresentedModel; value: string } | undefined {
  for (const { presents } of installed.get(oidc.provider)?.values() ?? []) {
    const value = presents && oidc.params?.[presents.parameter];
    if (presents && typeof value === 'string') return { model: presents.model, value };
  }
  return undefined;
}
