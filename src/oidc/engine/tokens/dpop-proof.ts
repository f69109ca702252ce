import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { dpopAlgorithms, InvalidProof, type ProvenRequest } from '../../domain/access-tokens.js';

/** Maximum age of a proof in seconds; the engine uses the same. */
export const proofSeconds = 300;

export interface Proven {
  thumbprint: string;
  algorithm: string;
  /** Id for single use. */
  jti: string;
}

/**
 * Verifies that a proof was created now, for this request and this token (RFC 9449 §4.3, §7.1); returns its key. Throws
 * {@link InvalidProof}.
 */
export async function verifyProof(token: string, request: ProvenRequest): Promise<Proven> {
  const proven = await read(token, request);
  if (!proven) throw new InvalidProof('the proof does not hold for this request');
  return proven;
}

/** True if `htu` matches the URL of the request. */
export function isSameTarget(htu: string, url: string): boolean {
  const target = comparable(htu);
  return target !== undefined && target === comparable(url);
}

/**
 * Normal form for comparing `htu` (RFC 9449 §4.3): without query and fragment, normalised as in RFC 3986 §6.2.2 and
 * §6.2.3. The platform's URL parser normalises scheme, host, port and dot segments.
 */
function comparable(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
  return `${url.origin}${path}`;
}

async function read(token: string, { proof, method, url }: ProvenRequest): Promise<Proven | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: dpopAlgorithms,
      requiredClaims: ['jti', 'iat', 'htm', 'htu', 'ath'],
    });
    const ath = createHash('sha256').update(token).digest('base64url');
    const isRecent = Math.abs(Date.now() / 1000 - (payload.iat ?? 0)) <= proofSeconds;
    if (!isRecent || payload.htm !== method || payload.ath !== ath) return undefined;
    if (typeof payload.htu !== 'string' || !isSameTarget(payload.htu, url)) return undefined;
    if (typeof payload.jti !== 'string' || payload.jti === '') return undefined;
    // Gatehouse never issues a nonce, so any nonce is foreign; the engine treats it in the same way.
    if (payload.nonce !== undefined && payload.nonce !== '') return undefined;
    const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
    return { thumbprint, algorithm: protectedHeader.alg, jti: payload.jti };
  } catch {
    return undefined;
  }
}
