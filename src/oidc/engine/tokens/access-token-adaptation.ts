import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { Configuration, JWTStructured } from 'oidc-provider';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../../platform/config/config.js';
import { smartStyleUrl } from '../../domain/smart-style.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { RequestedBases } from '../shared/requested-base.js';
import { installJwtAccessTokens, JwtAccessTokens } from './jwt-access-tokens.js';
import { installPauses } from './paused-apps.js';
import { RepresentedTokens } from './represented-tokens.js';
import { tokenClaims } from './token-claims.js';

/** Access tokens for FHIR bases, self-contained or opaque, with the launch context. */
@Injectable()
export class AccessTokenAdaptation implements EngineAdaptation {
  constructor(
    private readonly jwts: JwtAccessTokens,
    private readonly revocations: Revocations,
    private readonly bases: RequestedBases,
    private readonly paused: PausedApps,
    private readonly represented: RepresentedTokens,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      extraTokenClaims: tokenClaims(this.bases, smartStyleUrl(this.config)),
      formats: { customizers: { jwt: listAudience } },
    };
  }

  install(provider: Provider): void {
    installJwtAccessTokens(provider, this.jwts, this.revocations, this.bases);
    this.represented.install(provider);
    installPauses(provider, this.paused, this.represented);
  }
}

/**
 * The audience of a token that is based on a relationship is a list (RFC 7519 §4.1.3). A release before knows a text
 * alone, and so refuses the token, for which it would give full access.
 */
function listAudience(_: unknown, token: { extra?: Record<string, unknown> }, parts: JWTStructured): void {
  const { payload } = parts;
  if (token.extra?.representation !== undefined) payload.aud = [payload.aud].flat() as string[];
}
