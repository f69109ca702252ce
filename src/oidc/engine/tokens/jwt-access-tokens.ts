import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import Provider from 'oidc-provider';
import { Revocations } from '../../../oidc-store/infrastructure/revocations.js';
import { Config } from '../../../platform/config/config.js';
import { KeyRing } from '../keys/key-ring.js';
import { clockToleranceSeconds } from '../shared/lifetimes.js';
import type { AudienceState, RequestedBases } from '../shared/requested-base.js';
import { type SessionBound, whileSessionLives } from './session-binding.js';

/** A self-contained access token (RFC 9068) with valid signature, issuer and lifetime. */
export interface JwtAccessToken {
  jti: string;
  clientId: string;
  accountId: string | undefined;
  grantId: string | undefined;
  scope: string;
  aud: string;
  iat: number;
  exp: number;
  /** Thumbprint of the key that the token is bound to (RFC 9449). */
  jkt: string | undefined;
  /** Launch context and the token's other claims. */
  extra: Record<string, unknown>;
}

/**
 * The engine refuses to look up a JWT where it expects an opaque token (which has no dots); behind this mark it sees
 * none.
 */
const mark = '~';
const looksLikeJwt = /^~?[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Hides a JWT in the `token` parameter of introspection and revocation, which must support both formats (RFC 7662, RFC
 * 7009).
 */
export function hideStructure(token: string): string {
  return token.includes('.') ? mark + token : token;
}

@Injectable()
export class JwtAccessTokens {
  private keys: ReturnType<typeof createLocalJWKSet>;

  constructor(
    private readonly revocations: Revocations,
    private readonly ring: KeyRing,
    private readonly config: Config,
  ) {}

  /** Sets the keys to verify with from now on. */
  use(keys: JWK[]): void {
    const published = keys.map(
      ({ kty, crv, x, y, n, e, kid, alg, use }) => ({ kty, crv, x, y, n, e, kid, alg, use }) as JWK,
    );
    this.keys = createLocalJWKSet({ keys: published });
  }

  isJwt(token: string): boolean {
    return looksLikeJwt.test(token);
  }

  /**
   * Reads a token; undefined unless this portal issued it and it is neither expired (`graceSeconds` past `exp`) nor
   * revoked.
   */
  async read(token: string, graceSeconds = 0): Promise<JwtAccessToken | undefined> {
    const payload = await this.verify(token.startsWith(mark) ? token.slice(1) : token, graceSeconds);
    if (!payload) return undefined;
    // The clock tolerance is for `nbf` and `iat` only (`design §4`: only the gateway has a grace).
    if (graceSeconds === 0 && Number(payload.exp) <= Date.now() / 1000) return undefined;
    const { jti, sub, aud, iat, exp, scope, client_id: clientId, grant, cnf, iss: _, ...extra } = payload;
    if (typeof aud !== 'string' || typeof clientId !== 'string') return undefined;
    const grantId = typeof grant === 'string' ? grant : undefined;
    const read: JwtAccessToken = {
      jti: jti as string,
      clientId,
      accountId: grantId === undefined ? undefined : sub,
      grantId,
      scope: typeof scope === 'string' ? scope : '',
      aud,
      iat: iat as number,
      exp: exp as number,
      jkt: (cnf as { jkt?: string } | undefined)?.jkt,
      extra,
    };
    const stands = await this.revocations.stands({ tokenId: read.jti, clientId, grantId, issuedAt: read.iat });
    return stands ? read : undefined;
  }

  private async verify(token: string, graceSeconds: number): Promise<JWTPayload | undefined> {
    const check = () =>
      jwtVerify(token, this.keys, {
        issuer: this.config.server.issuer,
        typ: 'at+jwt',
        algorithms: ['ES256', 'ES384', 'RS256', 'RS384'],
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['jti', 'client_id', 'aud', 'exp', 'iat'],
        // Expiry is compared below: the grace applies only to it, not to `nbf` and `iat`.
        currentDate:
          graceSeconds > 0 ? new Date(Date.now() - (graceSeconds - clockToleranceSeconds) * 1000) : undefined,
      });
    try {
      return (await check()).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) return undefined;
    }
    // Another node may have rotated first; the result reaches `use`.
    await this.ring.lookAgain();
    return check().then(
      ({ payload }) => payload,
      () => undefined,
    );
  }
}

/** Makes the engine find self-contained tokens like its own, and userinfo accept tokens for the FHIR bases. */
export function installJwtAccessTokens(
  provider: Provider,
  jwts: JwtAccessTokens,
  revocations: Revocations,
  bases: RequestedBases,
): void {
  for (const model of [provider.AccessToken, provider.ClientCredentials] as const) {
    const byPerson = model === provider.AccessToken;
    const findStored = model.find.bind(model);
    const find = async (value: string, options?: { ignoreExpiration?: boolean }) => {
      const token = (
        jwts.isJwt(value)
          ? await instanceOf(value)
          : await inSession(await findStored(value, { ...options, ignoreSessionBinding: true } as never))
      ) as { aud?: unknown } | undefined;
      const { ctx } = Provider;
      // The engine would refuse userinfo for a token with an audience.
      if (token && ctx?.oidc.route === 'userinfo' && bases.byUrl(token.aud)) {
        (ctx.state as AudienceState).audience = String(token.aud);
        Object.assign(token, { aud: undefined });
      }
      return token;
    };
    const inSession = (token: unknown) => whileSessionLives(provider, token as SessionBound | undefined);
    const instanceOf = async (value: string) => {
      const read = await jwts.read(value);
      if (!read || (read.grantId !== undefined) !== byPerson) return undefined;
      const token = new model({ ...read, kind: byPerson ? 'AccessToken' : 'ClientCredentials' } as never);
      token.destroy = () => revocations.revokeToken(read.jti, read.exp);
      return token;
    };
    Object.defineProperty(model, 'find', { value: find });
  }
}
