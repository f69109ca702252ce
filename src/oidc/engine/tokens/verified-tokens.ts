import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import jwt, { type Algorithm, type JwtPayload } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { clockToleranceSeconds } from '../shared/lifetimes.js';

/** A self-contained access token (RFC 9068) with valid signature, issuer and lifetime. */
export interface JwtAccessToken {
  readonly jti: string;
  readonly clientId: string;
  readonly accountId: string | undefined;
  readonly grantId: string | undefined;
  readonly scope: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  /** Thumbprint of the key that the token is bound to (RFC 9449). */
  readonly jkt: string | undefined;
  /** Launch context and the token's other claims. */
  readonly extra: Readonly<Record<string, unknown>>;
}

interface VerificationKey {
  key: KeyObject;
  algorithm: Algorithm;
}

/** A token and its claims take about 2 kB. */
const mostRemembered = 10_000;

/**
 * Verifies the access tokens that this portal has signed, and remembers those that it has verified: a client sends each
 * of them many times (decision 0052). Only the signature and the content are remembered, which never change. Times are
 * compared at each use; revocation, client and account are checked by the callers at each use.
 */
export class VerifiedTokens {
  private keys: ReadonlyMap<string, VerificationKey> = new Map();
  /** By the hash of the token, so that the memory holds no token that could be used. */
  private readonly remembered = new LRUCache<string, JwtAccessToken>({
    maxSize: mostRemembered,
    sizeCalculation: () => 1,
  });

  constructor(private readonly issuer: string) {}

  /** Sets the keys to verify with from now on. Forgets all tokens: one may have been signed with a key that is gone. */
  useKeys(keys: JWK[]): void {
    this.remembered.clear();
    this.keys = new Map(
      keys.map(({ kty, crv, x, y, n, e, kid = '', alg }) => {
        const key = createPublicKey({ key: { kty, crv, x, y, n, e } as never, format: 'jwk' });
        return [kid, { key, algorithm: alg as Algorithm }];
      }),
    );
  }

  /**
   * Finds the content of a token: undefined unless this portal signed it and now is in its lifetime, which ends
   * `graceSeconds` after `exp`.
   */
  findByValue(token: string, graceSeconds: number): JwtAccessToken | undefined {
    const hash = sha256(token);
    const known = this.remembered.get(hash);
    const found = known ?? this.verify(token);
    if (!found || !isInLifetime(found, graceSeconds)) return undefined;
    if (!known) this.remembered.set(hash, found);
    return found;
  }

  /** True if the token names a key that is not known here. */
  namesUnknownKey(token: string): boolean {
    const kid = keyIdOf(token);
    return kid !== undefined && !this.keys.has(kid);
  }

  private verify(token: string): JwtAccessToken | undefined {
    const known = this.keys.get(keyIdOf(token) ?? '');
    if (!known) return undefined;
    try {
      const { header, payload } = jwt.verify(token, known.key, {
        algorithms: [known.algorithm],
        issuer: this.issuer,
        ignoreExpiration: true,
        ignoreNotBefore: true,
        complete: true,
      });
      return header.typ === 'at+jwt' && typeof payload === 'object' ? contentOf(payload) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The grace is for the end only, the clock tolerance for the beginning (`design §4`: only the gateway has a grace). */
function isInLifetime({ exp, extra: { nbf } }: JwtAccessToken, graceSeconds: number): boolean {
  const now = Date.now() / 1000;
  return exp + graceSeconds > now && (nbf === undefined || Number(nbf) <= now + clockToleranceSeconds);
}

function keyIdOf(token: string): string | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header.kid;
  } catch {
    return undefined;
  }
}

function contentOf(payload: JwtPayload): JwtAccessToken | undefined {
  const { jti, sub, aud: audiences, iat, exp, scope, client_id: clientId, grant, cnf, iss: _, ...extra } = payload;
  const [aud, ...others] = [audiences].flat();
  if (others.length > 0) return undefined;
  if (typeof jti !== 'string' || typeof aud !== 'string' || typeof clientId !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  const grantId = typeof grant === 'string' ? grant : undefined;
  return frozen({
    jti,
    clientId,
    accountId: grantId === undefined ? undefined : sub,
    grantId,
    scope: typeof scope === 'string' ? scope : '',
    aud,
    iat,
    exp,
    jkt: cnf?.jkt,
    extra,
  });
}

/** One object serves many requests: none may change it for another one. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
