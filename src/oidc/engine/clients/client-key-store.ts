import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import type { RemoteKeySets } from './remote-key-sets.js';

const families: Record<string, { kty: string; crv?: string }> = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
};

/**
 * Keys of one client for one request, in the interface that the engine verifies with: keys by value, and those of any
 * number of URLs. When no key fits, the engine calls `fresh()` and, if that returns false, `refresh()` and retries
 * once.
 */
export class ClientKeyStore {
  private fetched: PublicJwk[] | undefined;
  private missed = false;

  constructor(
    private readonly inline: readonly PublicJwk[],
    private readonly urls: readonly string[],
    private readonly remote: RemoteKeySets,
  ) {}

  /**
   * The keys that fit: of this id, type and curve, and for this algorithm if they name one. Each is tried; one of them
   * may have been replaced.
   */
  selectForVerify({ alg, kid }: { alg: string; kid?: string }): PublicJwk[] {
    const fits = (key: PublicJwk) => kid !== undefined && key.kid === kid && isFor(key, alg);
    const published = (this.fetched ?? this.urls.flatMap((url) => this.remote.freshKeys(url) ?? [])).filter(fits);
    this.missed = published.length === 0;
    return [...this.inline.filter(fits), ...published];
  }

  getKeyObject(key: PublicJwk): PublicJwk {
    return key;
  }

  fresh(): boolean {
    if (this.fetched !== undefined || this.urls.length === 0) return true;
    return this.urls.every(
      (url) => this.remote.freshKeys(url) !== undefined && !(this.missed && this.remote.mayLookAgain(url)),
    );
  }

  async refresh(): Promise<void> {
    this.fetched = (await Promise.all(this.urls.map((url) => this.remote.fetch(url)))).flat();
  }
}

/** True if the key is of the type and curve of the algorithm, and names no other one. */
export function isFor(key: PublicJwk, alg: string): boolean {
  const family = families[alg];
  return (
    key.kty === family?.kty &&
    (family.crv === undefined || key.crv === family.crv) &&
    (key.alg === undefined || key.alg === alg)
  );
}
