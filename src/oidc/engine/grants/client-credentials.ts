import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import type Provider from 'oidc-provider';
import { type Client, type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import { enginePaths } from '../../domain/engine-paths.js';
import { shownScope } from '../../domain/scope-explanation.js';
import type { ScopeServers } from '../../domain/scope-narrowing.js';
import { allowedForService, parseRequest, type ServiceScopes } from '../../domain/scope-request.js';
import { smartStyleUrl } from '../../domain/smart-style.js';
import { ScopeAdaptation } from '../authorization/scope-adaptation.js';
import { isFor, nothingGranted, orDefault } from '../authorization/scope-grants.js';
import { ScopeNotes } from '../authorization/scope-notes.js';
import { ServersOfScopes } from '../authorization/scope-servers.js';
import { clientAtHand } from '../clients/client-authentication.js';
import { type PlainRequest, plainRequest } from '../clients/plain-request.js';
import { followsProfile } from '../clients/security-profile.js';
import { ServiceProofs } from '../clients/service-proofs.js';
import { EngineSigningKey } from '../keys/engine-signing-key.js';
import { describeRequest } from '../shared/described-request.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { textOf } from '../shared/request-text.js';
import { RequestedBases } from '../shared/requested-base.js';
import { installGrant, type TokenGrant } from '../shared/token-grants.js';
import { trialProvenBy } from '../shared/trial-at-hand.js';
import { tokenClaims } from '../tokens/token-claims.js';

type Next = () => Promise<void>;

/** A key, and the header of the tokens that it signs. */
interface Signer {
  key: EngineSigningKey;
  header: string;
}

/** A token request of a service in its usual form. */
interface PlainServiceRequest extends PlainRequest {
  scope: string;
}

/** RFC 6749 §3.3. */
export const scopeSyntax = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/**
 * Services get tokens of their own by their credentials (RFC 6749 §4.4, SMART 2.2 backend-services). These have no
 * user, no Grant and no refresh token: they end by themselves, by their own revocation, and with their client.
 *
 * The direct lane issues self-contained tokens without the engine's thirty middlewares, which cost more than the
 * signature, when the request has its usual form and is in order (decision 0092). The engine processes all others: it
 * alone refuses.
 */
@Injectable()
export class ClientCredentialsGrant implements EngineAdaptation {
  private readonly claimsOf: ReturnType<typeof tokenClaims>;
  private readonly grant: TokenGrant;
  private signer: Signer;

  constructor(
    private readonly proofs: ServiceProofs,
    private readonly scopes: ScopeAdaptation,
    private readonly bases: RequestedBases,
    private readonly notes: ScopeNotes,
    private readonly servers: ServersOfScopes,
    private readonly config: Config,
  ) {
    this.claimsOf = tokenClaims(bases, smartStyleUrl(config));
    this.grant = {
      type: 'client_credentials',
      parameters: { needed: [], others: ['scope', 'resource'] },
      source: () => undefined,
      issued: 'tokens-issued',
      isOfService: true,
      scopes: (ctx, settings, base) => this.grantedScopes(ctx, settings, base),
    };
  }

  configuration(keys: JWK[]): Configuration {
    const alg = this.config.keys.accessTokenAlgorithm;
    const jwk = keys.find((key) => key.alg === alg);
    if (!jwk) throw new Error(`there is no key for ${alg}`);
    const header = { alg, typ: 'at+jwt', kid: jwk.kid };
    this.signer = { key: new EngineSigningKey(jwk), header: encoded(header) };
    return { features: { clientCredentials: { enabled: true } } };
  }

  install(provider: Provider): void {
    installGrant(provider, this.grant);
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
    const [base] = this.bases.all;
    return (
      type !== 'ManagementApi' &&
      settings.accessTokenType === 'Jwt' &&
      !settings.requireDpop &&
      !followsProfile(settings) &&
      client.grantTypeAllowed('client_credentials') &&
      isFor(settings, base) &&
      grantedToService(scope, settings, this.servers.forRequest(base)).granted.length > 0
    );
  }

  private grantedScopes({ oidc }: KoaContextWithOIDC, settings: ClientSettings, base: FhirBase): string[] {
    const asked = orDefault(oidc.params?.scope?.toString(), settings);
    const { granted, forUsers } = grantedToService(asked, settings, this.servers.forRequest(base));
    if (forUsers.length > 0) {
      note('scopes-need-person', { scopes: forUsers.map(shownScope).join(' ') });
      throw new errors.InvalidScope('only system scopes can be granted without a person', '');
    }
    this.notes.noteForService(asked, settings, base, granted.length === 0);
    if (granted.length === 0) throw nothingGranted(asked);
    if (oidc.params) oidc.params.scope = granted.join(' ');
    return granted;
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

/**
 * Last requested and allowed scopes of each service, which usually repeats its request. Changed settings are another
 * object.
 */
const lastOfServices = new WeakMap<ClientSettings, { asked: string; served: unknown; decided: ServiceScopes }>();

/** The scopes that a service gets of those it asks for. */
function grantedToService(asked: string, settings: ClientSettings, servers: ScopeServers): ServiceScopes {
  const { served } = servers;
  let last = lastOfServices.get(settings);
  if (last?.asked !== asked || last.served !== served) {
    last = { asked, served, decided: allowedForService(parseRequest(asked) ?? [], settings, servers) };
    lastOfServices.set(settings, last);
  }
  return last.decided;
}

/** Reads a token request of a service in its usual form; undefined for every other request. */
export function plainServiceRequest(headers: IncomingHttpHeaders, text: string): PlainServiceRequest | undefined {
  const request = plainRequest(headers, text, ['grant_type', 'scope']);
  if (!request) return undefined;
  const { grant_type: grantType, scope } = request.params;
  if (grantType !== 'client_credentials' || scope === undefined || !scopeSyntax.test(scope)) return undefined;
  return { ...request, scope };
}
