import { createHash } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader, EmbeddedJWK } from 'jose';
import { dpopAlgorithms } from '../../domain/access-tokens.js';
import { textDifference } from '../../domain/address-difference.js';
import { proofSeconds } from '../clients/security-profile.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { timeFault } from '../shared/time-faults.js';

/** A part of a DPoP proof that does not hold. */
export interface ProofFault {
  part: 'form' | 'type' | 'key' | 'signature' | 'claim' | 'unit' | 'time' | 'htm' | 'htu' | 'token';
  /** A clause about the proof, without ids, values of queries and secrets. */
  reason: string;
}

interface Expected {
  method: string;
  url: string;
  /** The access token that the proof comes with. */
  token?: string;
}

interface Parts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/**
 * The first part of a refused DPoP proof that does not hold (RFC 9449 §4.3), in the order of that section; undefined if
 * each of them does.
 */
export async function proofFault(proof: string, expected: Expected): Promise<ProofFault | undefined> {
  const parts = partsOf(proof);
  if (!parts) return { part: 'form', reason: formFault(proof) };
  const { claims } = parts;
  return (
    headerFault(parts) ??
    claimFault(claims, expected) ??
    ((await isSigned(proof))
      ? undefined
      : { part: 'signature', reason: 'its signature does not fit the key in its jwk' }) ??
    targetFault(claims, expected)
  );
}

function formFault(proof: string): string {
  if (proof.includes(',')) return 'there are two of them';
  return proof.split('.').length === 3 ? 'it is not a JWT that can be decoded' : 'it has not three parts between dots';
}

function headerFault({ header }: Parts): ProofFault | undefined {
  const { typ, alg, jwk } = header;
  const key = typeof jwk === 'object' && jwk !== null ? (jwk as Record<string, unknown>) : undefined;
  const isPrivate = key && ['d', 'k', 'p', 'q'].some((name) => name in key);
  if (!/^(?:application\/)?dpop\+jwt$/i.test(String(typ))) {
    return {
      part: 'type',
      reason: `its typ is ${typ === undefined ? 'missing' : String(typ).slice(0, 40)}, and not dpop+jwt`,
    };
  }
  if (!dpopAlgorithms.includes(String(alg))) {
    return {
      part: 'key',
      reason: `its alg is ${String(alg).slice(0, 20)}, and not one of ${dpopAlgorithms.join(', ')}`,
    };
  }
  if (!key) return { part: 'key', reason: 'its header has no jwk with the public key' };
  return isPrivate
    ? { part: 'key', reason: 'its jwk has private members, and must have the public key alone' }
    : undefined;
}

function claimFault(claims: Record<string, unknown>, { token }: Expected): ProofFault | undefined {
  const unit = timeFault(claims, ['iat', 'nbf', 'exp']);
  const needed = ['jti', 'iat', 'htm', 'htu', ...(token === undefined ? [] : ['ath'])];
  const missing = needed.find((name) => !claims[name]);
  const noText = ['jti', 'htm', 'htu', 'ath', 'nonce'].find(
    (name) => claims[name] !== undefined && typeof claims[name] !== 'string',
  );
  if (missing !== undefined) return { part: 'claim', reason: `it has no ${missing}` };
  if (unit) return { part: 'unit', reason: `its ${unit.claim} is ${unit.sent}: ${unit.fault}` };
  return noText === undefined ? undefined : { part: 'claim', reason: `its ${noText} is not a text` };
}

function targetFault(claims: Record<string, unknown>, { method, url, token }: Expected): ProofFault | undefined {
  const age = nowSeconds() - Number(claims.iat);
  if (Math.abs(age) > proofSeconds) {
    const words = age > 0 ? `${age} s old` : `${-age} s in the future`;
    return { part: 'time', reason: `it is ${words}, and at most ${proofSeconds} s are accepted` };
  }
  const { htm, htu, ath } = claims;
  if (htm !== method) {
    const isLetter = String(htm).toUpperCase() === method;
    return {
      part: 'htm',
      reason: `its htm is ${String(htm).slice(0, 20)}, and not ${method}${isLetter ? ' in capitals' : ''}`,
    };
  }
  if (token !== undefined && ath !== createHash('sha256').update(token).digest('base64url')) {
    return { part: 'token', reason: 'its ath is not the SHA-256 hash, as base64url, of the access token' };
  }
  const bare = (address: string) => address.split(/[?#]/, 1)[0] ?? '';
  if (bare(String(htu)) === bare(url)) return undefined;
  const difference = textDifference(bare(String(htu)), bare(url));
  return { part: 'htu', reason: `its htu differs from the address of the request: ${difference}` };
}

function partsOf(proof: string): Parts | undefined {
  try {
    return { header: { ...decodeProtectedHeader(proof) }, claims: decodeJwt(proof) };
  } catch {
    return undefined;
  }
}

async function isSigned(proof: string): Promise<boolean> {
  return compactVerify(proof, EmbeddedJWK).then(
    () => true,
    () => false,
  );
}
