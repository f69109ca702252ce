import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type Provider from 'oidc-provider';
import type { Client, Configuration, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { smartStyleUrl } from '../../domain/smart-style.js';
import { ScopeAdaptation } from '../authorization/scope-adaptation.js';
import { clientAtHand } from '../clients/client-authentication.js';
import { type PlainServiceRequest, plainServiceRequest } from '../clients/plain-service-request.js';
import { followsProfile } from '../clients/security-profile.js';
import { ServiceProofs } from '../clients/service-proofs.js';
import { EngineSigningKey } from '../keys/engine-signing-key.js';
import { describeRequest } from '../shared/described-request.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { textOf } from '../shared/request-text.js';
import { RequestedBases } from '../shared/requested-base.js';
import { trialProvenBy } from '../shared/trial-at-hand.js';
import { tokenClaims } from './token-claims.js';

type Next = () => Promise<void>;

/** A key, and the header of the tokens that it signs. */
interface Signer {
  key: EngineSigningKey;
  header: string;
}

/**
 * Issues the self-contained tokens of services without the engine's thirty middlewares, which cost more than the signature, when the
 * request has its usual form and is in order (decision 0092). All others go on to the engine: it alone refuses.
 */
@Injectable()
export class ServiceTokens implements EngineAdaptation {
  private readonly claimsOf: ReturnType<typeof tokenClaims>;
  private signer: Signer;

  constructor(
    private readonly proofs: ServiceProofs,
    private readonly scopes: ScopeAdaptation,
    private readonly bases: RequestedBases,
    private readonly config: Config,
  ) {
    this.claimsOf = tokenClaims(bases, smartStyleUrl(config));
  }

  configuration(keys: JWK[]): Configuration {
    const alg = this.config.keys.accessTokenAlgorithm;
    const jwk = keys.find((key) => key.alg === alg);
    if (!jwk) throw new Error(`there is no key for ${alg}`);
    const header = { alg, typ: 'at+jwt', kid: jwk.kid };
    this.signer = { key: new EngineSigningKey(jwk), header: encoded(header) };
    return {};
  }

  install(provider: Provider): void {
    const { signer } = this;
    provider.use(((ctx: KoaContextWithOIDC, next: Next): Promise<void> => {
      const request = this.requestIn(ctx);
      const client = request && clientAtHand(provider, request.clientId);
      if (!client || !this.canIssue(client, request)) return next();
      describeRequest(provider, ctx, { route: 'token', client, params: request.params });
      const isRight = this.proofs.isRight(ctx, request);
      const issue = () => this.issue(ctx, client, signer).then(() => void provider.emit('grant.success', ctx));
      if (typeof isRight === 'boolean') return isRight ? issue() : next();
      return isRight.then((right) => (right ? issue() : next()));
    }) as never);
  }

  private requestIn({ path, method, req }: KoaContextWithOIDC): PlainServiceRequest | undefined {
    if (path !== enginePaths.token || method !== 'POST' || trialProvenBy(req) !== undefined) return undefined;
    const text = textOf(req);
    return text === undefined ? undefined : plainServiceRequest(req.headers, text);
  }

  /** True if the client gets a bearer token for the first FHIR base, and something of what it asks for. */
  private canIssue(client: Client, { scope }: PlainServiceRequest): boolean {
    const { settings, type } = gatehouseClient(client);
    return (
      type !== 'ManagementApi' &&
      settings.accessTokenType === 'Jwt' &&
      !settings.requireDpop &&
      !followsProfile(settings) &&
      client.grantTypeAllowed('client_credentials') &&
      this.scopes.areForService(scope, settings)
    );
  }

  private async issue(ctx: KoaContextWithOIDC, client: Client, { key, header }: Signer): Promise<void> {
    const [{ url }] = this.bases.all;
    const server = this.scopes.resources.getResourceServerInfo(ctx, url, client);
    const { audience, scope, accessTokenTTL } = (server instanceof Promise ? await server : server) as Issued;
    const claims = this.claimsOf(ctx, { kind: 'ClientCredentials' });
    const iat = nowSeconds();
    const content = `${header}.${encoded({
      ...(claims instanceof Promise ? await claims : claims),
      jti: randomUUID(),
      sub: client.clientId,
      iat,
      exp: iat + accessTokenTTL,
      scope,
      client_id: client.clientId,
      iss: this.config.server.issuer,
      aud: audience,
    })}`;
    const signature = await key.sign(Buffer.from(content));
    // The headers of the engine for a request without an Origin.
    ctx.res.setHeader('Vary', 'Origin');
    ctx.res.setHeader('Access-Control-Allow-Origin', '*');
    ctx.res.setHeader('Access-Control-Expose-Headers', 'DPoP-Nonce,WWW-Authenticate');
    ctx.body = {
      access_token: `${content}.${signature.toString('base64url')}`,
      expires_in: accessTokenTTL,
      scope,
      token_type: 'Bearer',
    };
  }
}

type Issued = Required<Pick<ResourceServer, 'audience' | 'scope' | 'accessTokenTTL'>>;

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
