import { type Message, message } from '../../messages/message.js';
import { fieldRequired, invalidValue, lineProblem } from '../text.js';

export interface PublicJwk {
  kty: 'RSA' | 'EC' | 'OKP';
  kid: string;
  n?: string;
  e?: string;
  crv?: string;
  x?: string;
  y?: string;
  alg?: string;
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const base64url = /^[A-Za-z0-9_-]+$/;
const curves: Readonly<Record<string, { alg: string; length: number }>> = {
  'P-256': { alg: 'ES256', length: 43 },
  'P-384': { alg: 'ES384', length: 64 },
  'P-521': { alg: 'ES512', length: 88 },
};

/**
 * The public key in a JWK text, or what is wrong with it. Keeps only the members that make the key and name it:
 * `key_ops` and certificates add nothing to a signature check.
 */
export function parsePublicJwk(text: string): { jwk: PublicJwk } | { problem: Message } {
  if (text.trim() === '') return { problem: fieldRequired };
  const key = asObject(text);
  if (!key) return { problem: invalidValue };
  if (Array.isArray(key.keys)) return { problem: message('jwk-set-without-keys') };
  if (privateMembers.some((name) => name in key)) return { problem: message('jwk-private') };
  if (typeof key.kid !== 'string' || key.kid === '') return { problem: message('jwk-needs-kid') };
  if (lineProblem(key.kid, 200) || (key.use !== undefined && key.use !== 'sig')) return { problem: invalidValue };
  const material = rsa(key) ?? ec(key) ?? edwards(key);
  if (!material) return { problem: message('jwk-types') };
  const alg = typeof key.alg === 'string' ? key.alg : undefined;
  if (alg !== undefined && !material.algs.includes(alg)) return { problem: invalidValue };
  return { jwk: { ...material.jwk, kid: key.kid, ...(alg !== undefined && { alg }) } };
}

/**
 * The texts of the keys of a pasted JWK Set (RFC 7517 §5) that may sign; undefined for any other text, and for a set
 * without such keys, which {@link parsePublicJwk} refuses as one.
 */
export function keysOfSet(text: string): string[] | undefined {
  const keys = asObject(text)?.keys;
  if (!Array.isArray(keys)) return undefined;
  const ofSignatures = keys.filter((key) => typeof key === 'object' && key !== null && key.use !== 'enc');
  return ofSignatures.length > 0 ? ofSignatures.map((key) => JSON.stringify(key)) : undefined;
}

type Material = { jwk: Omit<PublicJwk, 'kid'>; algs: readonly string[] };

function rsa(key: Record<string, unknown>): Material | undefined {
  const { kty, n, e } = key;
  if (kty !== 'RSA' || !isBase64url(n) || !isBase64url(e)) return undefined;
  // 2048 bits are 342 characters; 16 384 bits would make every verification slow.
  if (n.length < 342 || n.length > 2731 || e.length > 8) return undefined;
  return { jwk: { kty, n, e }, algs: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] };
}

function ec(key: Record<string, unknown>): Material | undefined {
  const { kty, crv, x, y } = key;
  if (kty !== 'EC' || typeof crv !== 'string' || !Object.hasOwn(curves, crv)) return undefined;
  const curve = curves[crv];
  if (!curve || !isBase64url(x) || !isBase64url(y) || x.length !== curve.length || y.length !== curve.length) {
    return undefined;
  }
  return { jwk: { kty, crv, x, y }, algs: [curve.alg] };
}

/** RFC 8037 §2, for signatures: X25519 only agrees on keys. */
function edwards({ kty, crv, x }: Record<string, unknown>): Material | undefined {
  if (kty !== 'OKP' || crv !== 'Ed25519' || !isBase64url(x) || x.length !== 43) return undefined;
  return { jwk: { kty, crv, x }, algs: ['EdDSA', 'Ed25519'] };
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && base64url.test(value);
}

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
