import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { dpopAlgorithms, InvalidProof, NonceNeeded, type ProvenRequest } from '../../domain/access-tokens.js';
import { proofSeconds } from '../clients/security-profile.js';
import { DpopNonces } from './dpop-nonces.js';
import { proofFault } from './proof-faults.js';

interface Proven {
  thumbprint: string;
  algorithm: string;
  /** Id for single use. */
  jti: string;
  /** Seconds since 1970. */
  times: { iat?: number | undefined; nbf?: number | undefined };
  nonce?: string | undefined;
}

/** DPoP proofs of requests to resources outside of the engine. */
@Injectable()
export class DpopProofs {
  constructor(
    private readonly records: OidcRecords,
    private readonly nonces: DpopNonces,
  ) {}

  /**
   * Verifies that a proof was created now, for this request and this token, and that its nonce, if it has one, is of
   * this portal (RFC 9449 §4.3, §7.1, §9); returns its key. Throws {@link InvalidProof}.
   */
  async verify(token: string, request: ProvenRequest): Promise<Proven> {
    const proven = await read(token, request);
    if (!proven) {
      const fault = await proofFault(request.proof, { ...request, token });
      throw new InvalidProof(fault?.reason ?? 'it does not hold for this request');
    }
    if (proven.nonce !== undefined && !this.nonces.accepts(proven.nonce)) throw new NonceNeeded(this.nonces.newest);
    return proven;
  }

  /** Throws {@link NonceNeeded} for a proof without a nonce. */
  assertNonce({ nonce }: Proven): void {
    if (nonce === undefined) throw new NonceNeeded(this.nonces.newest);
  }

  /** False if the proof was used before, on any node. */
  use({ thumbprint, jti }: Proven): Promise<boolean> {
    return this.records.insertOnce('DPoP', `${thumbprint}\n${jti}`, 2 * proofSeconds);
  }

  /**
   * For refused requests only: why a proof that holds for its request does not hold for a token that is bound to the
   * key with this thumbprint, in a clause.
   */
  async faultFor(proof: string, jkt: string): Promise<string | undefined> {
    const { jwk } = decodeProtectedHeader(proof);
    const thumbprint = await calculateJwkThumbprint(jwk as JWK);
    if (thumbprint !== jkt) return 'it is signed with another key than the token is bound to';
    const { jti } = decodeJwt(proof);
    return (await this.records.findById('DPoP', `${thumbprint}\n${jti}`)) ? 'its jti was used before' : undefined;
  }

  /** As {@link DpopNonces.renewed}. */
  renewedNonce(proof: string): string | undefined {
    return this.nonces.renewed(proof);
  }
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
    const { jti, iat, nbf, nonce } = payload;
    if (nonce !== undefined && typeof nonce !== 'string') return undefined;
    const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
    return { thumbprint, algorithm: protectedHeader.alg, jti, times: { iat, nbf }, nonce: nonce || undefined };
  } catch {
    return undefined;
  }
}
