import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { JWK } from 'jose';
import Provider, { type Configuration, type errors, type KoaContextWithOIDC } from 'oidc-provider';
import { log } from '../../platform/logging/log.js';
import { AuthorizationAdaptation } from './authorization/authorization-adaptation.js';
import { MovedRequestAdaptation } from './authorization/moved-request-adaptation.js';
import { ScopeAdaptation } from './authorization/scope-adaptation.js';
import { ClientAdaptation } from './clients/client-adaptation.js';
import { AuthorizationCodeGrant } from './grants/authorization-code.js';
import { ClientCredentialsGrant } from './grants/client-credentials.js';
import { RefreshTokenGrant } from './grants/refresh-token.js';
import { EngineSigningKey } from './keys/engine-signing-key.js';
import { KeyRing } from './keys/key-ring.js';
import { LaunchRecord } from './launch-record.js';
import { noteFailure, RequestAdaptation } from './request-middleware.js';
import { SessionAdaptation } from './sessions/session-adaptation.js';
import { StorageAdaptation } from './sessions/storage-adaptation.js';
import { Engine } from './shared/engine.js';
import type { EngineAdaptation } from './shared/engine-adaptation.js';
import { extendModels } from './shared/engine-models.js';
import { AccessTokenAdaptation } from './tokens/access-token-adaptation.js';
import { DpopAdaptation } from './tokens/dpop-adaptation.js';
import { IntrospectionAdaptation } from './tokens/introspection-adaptation.js';
import { JwtAccessTokens } from './tokens/jwt-access-tokens.js';
import { PlainIntrospection } from './tokens/plain-introspection.js';
import { TrialAdaptation } from './trials/trial-adaptation.js';

/** In the order of their installation: a later override of the same member wraps an earlier one. */
const adaptations = [
  SessionAdaptation,
  AccessTokenAdaptation,
  DpopAdaptation,
  AuthorizationAdaptation,
  ScopeAdaptation,
  ClientAdaptation,
  AuthorizationCodeGrant,
  RefreshTokenGrant,
  IntrospectionAdaptation,
  StorageAdaptation,
  TrialAdaptation,
  LaunchRecord,
  RequestAdaptation,
  // Within the transaction of a request.
  MovedRequestAdaptation,
  ClientCredentialsGrant,
  PlainIntrospection,
];
const allAdaptations = Symbol('engine adaptations');

/** Providers of the engine's adaptations, for the module. */
export const adaptationProviders = [
  ...adaptations,
  { provide: allAdaptations, useFactory: (...all: EngineAdaptation[]) => all, inject: adaptations },
];

/**
 * Creates oidc-provider, configured and adapted to SMART and to this product. `docs/decisions/0003-engine.md` lists its
 * own behaviour, the required one and the hook for it; each adaptation is a file of its own below this folder.
 */
@Injectable()
export class EngineAssembly implements OnModuleInit {
  constructor(
    @Inject(allAdaptations) private readonly adaptations: readonly EngineAdaptation[],
    private readonly engine: Engine,
    private readonly jwts: JwtAccessTokens,
    private readonly ring: KeyRing,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.ring.open((keys) => this.useKeys(keys));
  }

  private useKeys(keys: JWK[]): void {
    const provider = new Provider(this.engine.issuer, this.configuration(keys));
    // The dispatcher sets X-Forwarded-Proto to the issuer's scheme and refuses foreign hosts.
    provider.proxy = true;
    extendModels(provider);
    this.jwts.useKeys(keys);
    for (const adaptation of this.adaptations) adaptation.install?.(provider);
    logErrors(provider);
    this.engine.use(provider);
  }

  private configuration(keys: JWK[]): Configuration {
    const parts = this.adaptations.map((adaptation) => adaptation.configuration?.(keys) ?? {});
    const signing = { externalSigningSupport: { enabled: true, ack: 'experimental-01' } };
    return {
      ...Object.assign({}, ...parts),
      features: Object.assign(signing, ...parts.map(({ features }) => features)),
      jwks: { keys: keys.map((key) => new EngineSigningKey(key)) as never },
    };
  }
}

/** OAuth errors are the client's and are logged without detail; any other error is internal. */
function logErrors(provider: Provider): void {
  provider.on('server_error', noteFailure);
  const refused = (event: string) => (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    const { error: code, error_detail: detail } = error;
    log.info({ event, error: code, detail, clientId: ctx.oidc?.client?.clientId }, 'OAuth request refused');
  };
  provider.on('pushed_authorization_request.error', refused('pushed authorization request'));
  provider.on('authorization.error', refused('authorization'));
  provider.on('grant.error', refused('token'));
  provider.on('introspection.error', refused('introspection'));
  provider.on('revocation.error', refused('revocation'));
  provider.on('userinfo.error', refused('userinfo'));
  provider.on('end_session.error', refused('end_session'));
}
