import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Config } from '../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../platform/config/fhir-bases.js';

/** Where the audience of a token is kept that the engine must not see (userinfo). */
export interface AudienceState {
  audience?: string;
}

/**
 * Which FHIR base a request to the engine is about. Apps name it once, by `aud`; from then on it is the `resource` of
 * request, code and refresh token, and the audience of each access token.
 */
export class RequestedBases {
  private readonly all: ReturnType<typeof fhirBasesOf>;

  constructor(config: Config) {
    this.all = fhirBasesOf(config);
  }

  /** One slash more or less at the end is the only tolerance (SMART 2.2 app-launch, `aud`). */
  named(aud: unknown): FhirBase | undefined {
    return typeof aud === 'string' ? this.byUrl(aud.replace(/\/$/, '')) : undefined;
  }

  /** By its exact URL. */
  byUrl(url: unknown): FhirBase | undefined {
    return this.all.find((base) => base.url === url);
  }

  /** Of an authorization request, in the engine's own words; what is about no FHIR data counts to the first base. */
  ofRequest({ resource }: { resource?: unknown }): FhirBase {
    return this.byUrl(resource) ?? this.all[0];
  }

  forRequest({ oidc, state }: KoaContextWithOIDC): FhirBase {
    const { AuthorizationCode, RefreshToken } = oidc.entities;
    const { audience } = state as AudienceState;
    return this.ofRequest({
      resource: AuthorizationCode?.resource ?? RefreshToken?.resource ?? audience ?? oidc.params?.resource,
    });
  }
}
