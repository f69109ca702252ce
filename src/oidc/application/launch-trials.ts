import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { Revocations } from '../../oidc-store/infrastructure/revocations.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { enginePaths } from '../domain/engine-paths.js';
import { type Trial, trialPagePath } from '../domain/trial.js';
import { Engine } from '../engine/shared/engine.js';
import type { PushedRequestExtras } from '../engine/shared/engine-models.js';
import { AccessTokenLookup } from '../engine/tokens/access-token-lookup.js';
import { type TokenAnswer, TrialTokenRequests } from '../engine/trials/token-requests.js';

/** Seconds in which the browser has to open the authorization request, as for a pushed one. */
const requestSeconds = 60;
const pushedPrefix = 'urn:ietf:params:oauth:request_uri:';

/** An authorization request for a trial. */
export interface TrialRequest {
  trial: Trial;
  clientId: string;
  scope: string;
  /** URL of the FHIR base. */
  base: string;
  /** The `launch` value of an EHR. */
  launch?: string;
  launchId: string;
}

/** A trial whose tokens are asked for. */
export interface TrialClient {
  trialId: string;
  clientId: string;
  /** True if its tokens have to be bound to a key (RFC 9449). */
  bound: boolean;
}

/** The answer of the token endpoint, and the way to present its token. It stays in this process. */
export interface TrialTokens extends TokenAnswer {
  /** Headers of a request with the token. */
  present: (method: string, url: string) => Promise<{ authorization: string; dpop?: string }>;
}

/**
 * The requests of trials to the engine: real ones, but that the portal stores and redeems them itself (decision 0074).
 */
@Injectable()
export class LaunchTrials {
  constructor(
    private readonly engine: Engine,
    private readonly tokens: TrialTokenRequests,
    private readonly lookup: AccessTokenLookup,
    private readonly revocations: Revocations,
    private readonly secrets: Secrets,
  ) {}

  /** The parameters of the authorization request, as the portal sends them for the client. */
  parametersOf({ trial, clientId, scope, base, launch }: TrialRequest): Record<string, string> {
    const challenge = createHash('sha256').update(this.verifierOf(trial.id)).digest('base64url');
    return {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.tokens.issuer + trialPagePath,
      scope,
      resource: base,
      state: trial.id,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(launch !== undefined && { launch }),
    };
  }

  /**
   * Stores the authorization request as a pushed one, which only the session of the trial can open. Returns the address
   * that the browser opens.
   */
  async store(request: TrialRequest): Promise<string> {
    const { trial, clientId, launchId } = request;
    const { PushedAuthorizationRequest } = this.engine.provider;
    const text = new UnsecuredJWT(this.parametersOf(request))
      .setIssuedAt()
      .setNotBefore('0s')
      .setIssuer(clientId)
      .setAudience(this.tokens.issuer)
      .setExpirationTime(`${requestSeconds}s`)
      .encode();
    const stored = new PushedAuthorizationRequest({ request: text, trusted: true } as never);
    Object.assign(stored, { trial, launchId } satisfies PushedRequestExtras);
    const id = await stored.save(requestSeconds);
    return `${enginePaths.authorization}?${new URLSearchParams({ client_id: clientId, request_uri: pushedPrefix + id })}`;
  }

  /** Redeems the code of a trial. */
  redeem(client: TrialClient, code: string): Promise<TrialTokens> {
    return this.send(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.tokens.issuer + trialPagePath,
      code_verifier: this.verifierOf(client.trialId),
    });
  }

  /** Asks for the token of a back-end service. */
  ofService(client: TrialClient, scope: string, resource: string | undefined): Promise<TrialTokens> {
    return this.send(client, {
      grant_type: 'client_credentials',
      scope,
      ...(resource !== undefined && { resource }),
    });
  }

  /** Ends everything that was issued with this access token. */
  async end(token: string): Promise<void> {
    const found = await this.lookup.findByValue(token, 0);
    if (!found) return;
    const { grantId, jti, exp = 0 } = found;
    if (grantId !== undefined) await this.revocations.revokeGrant(grantId, 'ended-with-trial');
    else if (found instanceof this.engine.provider.ClientCredentials) await found.destroy();
    else await this.revocations.revokeToken(jti, exp, 'ended-with-trial');
  }

  /** Known to this portal alone; the same on all nodes. */
  private verifierOf(trialId: string): string {
    return this.secrets.hmac('launch-trial', trialId);
  }

  private async send({ trialId, clientId, bound }: TrialClient, form: Record<string, string>): Promise<TrialTokens> {
    const key = bound ? await ProofKey.create() : undefined;
    const headers = key && { dpop: await key.proof('POST', this.tokens.address, { nonce: this.tokens.nonce }) };
    const answer = await this.tokens.send(trialId, { ...form, client_id: clientId }, headers ?? {});
    const token = String(answer.body.access_token);
    return {
      ...answer,
      present: async (method, url) =>
        key
          ? { authorization: `DPoP ${token}`, dpop: await key.proof(method, url, { token, nonce: this.tokens.nonce }) }
          : { authorization: `Bearer ${token}` },
    } satisfies TrialTokens;
  }
}

/** The key of one trial that its token is bound to (RFC 9449). */
class ProofKey {
  private constructor(
    private readonly key: CryptoKey,
    private readonly jwk: JWK,
  ) {}

  static async create(): Promise<ProofKey> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return new ProofKey(privateKey, await exportJWK(publicKey));
  }

  proof(method: string, url: string, { token, nonce }: { token?: string; nonce: string }): Promise<string> {
    const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
    return new SignJWT({ htm: method, htu: url, jti: randomUUID(), nonce, ...ath })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: this.jwk })
      .setIssuedAt()
      .sign(this.key);
  }
}
