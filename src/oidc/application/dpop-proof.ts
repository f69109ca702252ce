import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';

/** A request to one of our own resources that carries a DPoP proof. */
export interface ProvenRequest {
  /** The DPoP header. */
  proof: string;
  method: string;
  url: string;
}

export const dpopAlgorithms = ['ES256', 'ES384', 'RS256', 'RS384'];
/** How old a proof may be; the engine allows the same. */
export const proofSeconds = 300;

export interface Proven {
  thumbprint: string;
  /** To be used once. */
  jti: string;
}

/** A proof that does not hold, whatever the token is (RFC 9449 §7.1 `invalid_dpop_proof`). */
export class InvalidProof extends Error {}

/** The key of a proof that was made now, for this request and this token (RFC 9449 §4.3, §7.1). Throws {@link InvalidProof}. */
export async function verifyProof(token: string, request: ProvenRequest): Promise<Proven> {
  const proven = await read(token, request);
  if (!proven) throw new InvalidProof('the proof does not hold for this request');
  return proven;
}

/** Whether `htu` names the address of the request. */
export function isSameTarget(htu: string, url: string): boolean {
  const target = comparable(htu);
  return target !== undefined && target === comparable(url);
}

/**
 * What `htu` is compared by (RFC 9449 §4.3): without query and fragment, normalised as by RFC 3986 §6.2.2 and §6.2.3. The
 * parser of the platform sees to scheme, host, port and dot segments.
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
    // No nonce is ever given out, so that one is from elsewhere, as the engine has it.
    if (payload.nonce !== undefined && payload.nonce !== '') return undefined;
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk as JWK), jti: payload.jti };
  } catch {
    return undefined;
  }
}
