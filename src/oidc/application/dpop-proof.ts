import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';

/** A request to one of our own resources that carries a DPoP proof. */
export interface ProvenRequest {
  /** The DPoP header. */
  proof: string;
  method: string;
  /** Without query and fragment. */
  url: string;
}

export const dpopAlgorithms = ['ES256', 'ES384', 'RS256', 'RS384'];
/** How old a proof may be; the engine allows the same. */
export const proofSeconds = 60;

interface Proven {
  thumbprint: string;
  /** To be used once. */
  jti: string;
}

/** The key that a proof was made with, if it was made now, for this request and this token (RFC 9449 §4.3, §7.1). */
export async function verifyProof(token: string, { proof, method, url }: ProvenRequest): Promise<Proven | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: dpopAlgorithms,
      requiredClaims: ['jti', 'iat', 'htm', 'htu', 'ath'],
    });
    const ath = createHash('sha256').update(token).digest('base64url');
    const isRecent = Math.abs(Date.now() / 1000 - (payload.iat ?? 0)) <= proofSeconds;
    if (!isRecent || payload.htm !== method || payload.htu !== url || payload.ath !== ath) return undefined;
    if (typeof payload.jti !== 'string') return undefined;
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk as JWK), jti: payload.jti };
  } catch {
    return undefined;
  }
}
