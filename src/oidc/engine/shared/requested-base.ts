import { Injectable } from '@nestjs/common';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { type FhirBase, fhirBasesOf } from '../../../platform/config/fhir-bases.js';

/** Holds the audience of a token that the engine must not see (userinfo). */
export interface AudienceState {
  audience?: string;
}

/**
 * The FHIR base of a request to the engine. Clients name it by `aud` (SMART) or `resource` (RFC 8707); from then on it
 * is the `resource` of request, code and refresh token, and the audience of each access token.
 */
@Injectable()
export class RequestedBases {
  readonly all: ReturnType<typeof fhirBasesOf>;

  constructor(config: Config) {
    this.all = fhirBasesOf(config);
  }

  /** Finds a base by `aud`. One slash more or less at the end is the only tolerance (SMART 2.2 app-launch, `aud`). */
  byAudience(aud: unknown): FhirBase | undefined {
    return typeof aud === 'string' ? this.byUrl(aud.replace(/\/$/, '')) : undefined;
  }

  /** Finds a base by its exact URL. */
  byUrl(url: unknown): FhirBase | undefined {
    return this.all.find((base) => base.url === url);
  }

  /**
   * The base of an authorization request, from the engine's `resource`; a request without FHIR data belongs to the
   * first base.
   */
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

/**
 * Gives a `resource` with a slash too few or too many the spelling of its base, by which the engine compares it with
 * what was granted. These are the engine's first questions to a client when all parameters of a request are known.
 */
export function installResourceParameter(provider: Provider, bases: RequestedBases): void {
  const { prototype } = provider.Client;
  for (const question of ['responseTypeAllowed', 'grantTypeAllowed'] as const) {
    const isAllowed: (type: never) => boolean = prototype[question];
    Object.defineProperty(prototype, question, {
      configurable: true,
      value(this: typeof prototype, type: never): boolean {
        const params = Provider.ctx?.oidc?.params;
        const base = bases.byAudience(params?.resource);
        if (params && base) params.resource = base.url;
        return isAllowed.call(this, type);
      },
    });
  }
}
