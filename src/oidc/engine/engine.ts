import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JWK } from 'jose';
import Provider, { type Configuration, type errors, type KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { OidcRecords } from '../../oidc-store/application/oidc-records.js';
import { RefreshAnswers } from '../../oidc-store/application/refresh-answers.js';
import { Revocations } from '../../oidc-store/application/revocations.js';
import { Config } from '../../platform/config/config.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { cookieNames } from '../../platform/http/cookies.js';
import { log } from '../../platform/logging/log.js';
import { UserDirectory } from '../../users/application/user-directory.js';
import { dpopAlgorithms } from '../domain/access-tokens.js';
import { EhrLaunches } from '../domain/ehr-launches.js';
import { enginePaths } from '../domain/engine-paths.js';
import { smartStyleUrl } from '../domain/smart-style.js';
import { Steps } from '../domain/steps.js';
import { supportedScopes } from '../domain/supported-scopes.js';
import { adapterFactory } from './adapter.js';
import {
  installInteractionBinding,
  interactionPages,
  keepEarlierAnswers,
} from './authorization/interaction-binding.js';
import { installLaunchUse, unknownLaunch } from './authorization/launch-use.js';
import { prompts } from './authorization/prompts.js';
import { scopeGrants } from './authorization/scope-grants.js';
import {
  assertClientAssertion,
  installClientAuthentication,
  isPublic,
  noteKeyUse,
} from './clients/client-authentication.js';
import { clientMetadata } from './clients/client-metadata.js';
import { RemoteKeySets } from './clients/remote-key-sets.js';
import { SecretGuesses } from './clients/secret-guesses.js';
import { logoutPages, renderError } from './engine-pages.js';
import { CookieSignatures } from './keys/cookie-signatures.js';
import { EngineSigningKey } from './keys/engine-signing-key.js';
import { KeyRing } from './keys/key-ring.js';
import { SigningKeys } from './keys/signing-keys.js';
import { noteFailure, requestMiddleware } from './request-middleware.js';
import { installResponseModes } from './response-modes.js';
import { installLogout } from './sessions/logout.js';
import { installLogoutRequests } from './sessions/logout-requests.js';
import { installSessionStorage } from './sessions/session-storage.js';
import { installChangesOnly } from './sessions/stored-changes.js';
import { findAccount } from './shared/accounts-for-engine.js';
import { extendModels, gatehouseClient } from './shared/engine-models.js';
import { clockToleranceSeconds, lifetimes } from './shared/lifetimes.js';
import {
  assertClaimsParameter,
  installRequestObjectUse,
  refuseUsedObject,
  requestObjects,
} from './shared/request-objects.js';
import { RequestedBases } from './shared/requested-base.js';
import { acrValues } from './shared/second-factor.js';
import { claimsByScope } from './shared/standard-claims.js';
import { introspectionPolicy } from './tokens/introspection.js';
import { installJwtAccessTokens, JwtAccessTokens } from './tokens/jwt-access-tokens.js';
import { installRefresh, nameClientOf } from './tokens/refresh.js';
import { installRefreshScopes } from './tokens/refresh-scopes.js';
import { installCodeBinding } from './tokens/session-binding.js';
import { tokenClaims } from './tokens/token-claims.js';
import { TokenReuse } from './tokens/token-reuse.js';

/**
 * oidc-provider, configured and adapted to SMART and to this product. `docs/decisions/0003-engine.md` lists its own
 * behaviour, the required one and the hook for it; each adaptation is a file of its own beside this one.
 *
 * The engine's keys are fixed at construction, so other keys need another instance. Requests in progress finish on the
 * instance they began with; no caller may keep `provider` beyond a call.
 */
@Injectable()
export class Engine implements OnModuleInit {
  provider: Provider;
  readonly jwts: JwtAccessTokens;
  /** FHIR bases for which tokens are issued. */
  readonly bases: RequestedBases;
  /** `http` or `https`, as seen by browsers and clients. */
  readonly scheme: string;
  /** The engine's paths as a request listener. */
  handle: ReturnType<Provider['callback']>;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly keys: SigningKeys,
    private readonly ring: KeyRing,
    private readonly records: OidcRecords,
    private readonly revocations: Revocations,
    private readonly answers: RefreshAnswers,
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly steps: Steps,
    private readonly launches: EhrLaunches,
    private readonly remoteKeys: RemoteKeySets,
    private readonly guesses: SecretGuesses,
    private readonly reuse: TokenReuse,
  ) {
    this.bases = new RequestedBases(config);
    this.scheme = new URL(config.server.issuer).protocol.slice(0, -1);
    this.jwts = new JwtAccessTokens(config.server.issuer, revocations, () => ring.lookAgain());
  }

  /** Adds the client id to the form of a token request, if it can be determined. */
  nameClient(form: string): Promise<string> {
    return nameClientOf(form, this.records);
  }

  async onModuleInit(): Promise<void> {
    await this.ring.open((keys) => this.use(keys));
  }

  private use(keys: JWK[]): void {
    const { issuer } = this.config.server;
    const provider = new Provider(issuer, {
      ...this.configuration(keys),
      jwks: { keys: keys.map((key) => new EngineSigningKey(key)) as never },
    });
    // The dispatcher sets X-Forwarded-Proto to the issuer's scheme and refuses foreign hosts.
    provider.proxy = true;
    extendModels(provider);
    installLogoutRequests(provider, this.secrets);
    this.jwts.use(keys);
    installJwtAccessTokens(provider, this.jwts, this.revocations, this.bases);
    installInteractionBinding(provider, cookieNames(issuer));
    keepEarlierAnswers(provider);
    installClientAuthentication(provider, this.records, this.remoteKeys, this.clients, this.guesses);
    installRefreshScopes(provider, this.accounts, this.config);
    installCodeBinding(provider);
    installRefresh(provider, this.answers);
    this.reuse.install(provider);
    installSessionStorage(provider, this.records, this.revocations);
    installChangesOnly(provider, this.records);
    installResponseModes(provider);
    installLaunchUse(provider, this.launches);
    installRequestObjectUse(provider, this.records);
    provider.use(
      requestMiddleware({
        database: this.database,
        answers: this.answers,
        guesses: this.guesses,
        bases: this.bases,
        styleUrl: smartStyleUrl(this.config),
        scopesSupported: supportedScopes(this.config),
        keySetMaxAgeSeconds: this.ring.maxAgeSeconds,
      }) as never,
    );
    installLogout(provider);
    logErrors(provider);
    this.handle = provider.callback();
    this.provider = provider;
  }

  private configuration(signingKeys: JWK[]): Configuration {
    const { config, secrets } = this;
    const cookies = cookieNames(config.server.issuer);
    return {
      adapter: adapterFactory(this.records, this.revocations, async (clientId) => {
        const client = await this.clients.find(clientId);
        return client && clientMetadata(client, config.keys.idTokenAlgorithm);
      }),
      findAccount: findAccount((id) => this.accounts.find(id), this.bases),
      claims: claimsByScope,
      acrValues,
      conformIdTokenClaims: false,
      scopes: ['openid', 'fhirUser', 'profile', 'email', 'phone', 'offline_access'],
      responseTypes: ['code'],
      subjectTypes: ['public'],
      allowOmittingSingleRegisteredRedirectUri: false,
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      enabledJWA: {
        clientAuthSigningAlgValues: ['RS256', 'RS384', 'ES256', 'ES384'],
        dPoPSigningAlgValues: dpopAlgorithms as never,
        idTokenSigningAlgValues: [config.keys.idTokenAlgorithm],
        requestObjectSigningAlgValues: ['RS256', 'RS384', 'ES256', 'ES384'],
      },
      clockTolerance: clockToleranceSeconds,
      assertJwtClientAuthClaimsAndHeader: ((...[ctx, claims, header]: Parameters<typeof assertClientAssertion>) => {
        assertClientAssertion(ctx, claims, header);
        if (ctx.oidc.client) noteKeyUse(ctx.oidc.client, header, this.clients, this.remoteKeys);
      }) as never,
      extraClientMetadata: { properties: ['gatehouse'], validator: () => undefined },
      extraParams: {
        jti: (ctx) => refuseUsedObject(ctx, this.records),
        launch: (ctx, value, client) => this.assertLaunch(ctx, value, client),
      },
      extraTokenClaims: tokenClaims(this.bases, smartStyleUrl(config)),
      pkce: { required: (_ctx, client) => isPublic(client) || gatehouseClient(client).settings.requirePkce },
      clientBasedCORS: (_ctx, origin, client) =>
        (client.redirectUris ?? []).some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
      cookies: {
        names: { session: cookies.session, interaction: cookies.interaction, resume: cookies.resume },
        long: { httpOnly: true, sameSite: 'lax', secure: cookies.secure, path: cookies.path },
        short: { httpOnly: true, sameSite: 'lax', secure: cookies.secure },
        // Cookie keys change with the keys that sign tokens.
        keys: new CookieSignatures(signingKeys.map(({ kid = '' }) => secrets.hmac('cookies', kid))) as never,
      },
      routes: enginePaths,
      ttl: lifetimes(config),
      rotateRefreshToken: true,
      issueRefreshToken: async (_ctx, _client, { scopes }) =>
        scopes.has('offline_access') || scopes.has('online_access'),
      expiresWithSession: async (_ctx, source) => !source.scopes.has('offline_access'),
      // Every revocation ends the client's access for this user.
      revokeGrantPolicy: () => true,
      loadExistingGrant: async (ctx) => {
        const grantId = ctx.oidc.result?.consent?.grantId;
        return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
      },
      interactions: {
        policy: prompts(this.steps, this.launches, this.bases, config),
        url: interactionPages(this.bases, config.server.issuer),
      },
      renderError,
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        dPoP: { enabled: true },
        externalSigningSupport: { enabled: true, ack: 'experimental-01' },
        pushedAuthorizationRequests: { enabled: true },
        requestObjects,
        claimsParameter: { enabled: true, assertClaimsParameter },
        userinfo: { enabled: true },
        introspection: {
          enabled: true,
          allowedPolicy: introspectionPolicy(this.clients, this.accounts, this.bases),
        },
        revocation: { enabled: true, allowedPolicy: (_ctx, caller, token) => token.clientId === caller.clientId },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true, ...logoutPages },
        resourceIndicators: scopeGrants(config, this.keys, this.bases),
      },
    };
  }

  /** Checks the launch before a user has signed in; a later check compares it with the user. */
  private async assertLaunch(
    ctx: KoaContextWithOIDC,
    value: string | undefined,
    client: { clientId: string } | undefined,
  ): Promise<void> {
    if (value === undefined) return;
    if (!(await this.launches.find(value, client?.clientId ?? '', this.bases.forRequest(ctx)))) throw unknownLaunch();
  }
}

/** OAuth errors are the client's and are logged without detail; any other error is internal. */
function logErrors(provider: Provider): void {
  provider.on('server_error', noteFailure);
  const refused = (event: string) => (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    const { error: code, error_detail: detail } = error;
    log.info({ event, error: code, detail, clientId: ctx.oidc?.client?.clientId }, 'refused');
  };
  provider.on('pushed_authorization_request.error', refused('pushed authorization request'));
  provider.on('authorization.error', refused('authorization'));
  provider.on('grant.error', refused('token'));
  provider.on('introspection.error', refused('introspection'));
  provider.on('revocation.error', refused('revocation'));
  provider.on('userinfo.error', refused('userinfo'));
  provider.on('end_session.error', refused('end_session'));
}
