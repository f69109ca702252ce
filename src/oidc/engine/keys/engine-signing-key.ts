import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';

const signElsewhere = promisify(sign);

/** A private key that signs in a thread of Node's pool, without the detour of a JWK through Web Crypto. */
export class EngineSigningKey extends ExternalSigningKey {
  private readonly input: { key: KeyObject; dsaEncoding: 'ieee-p1363' };
  private readonly published: KeyObject;
  private readonly digest: string;

  constructor(jwk: JWK) {
    super();
    const key = createPrivateKey({ key: jwk as never, format: 'jwk' });
    this.input = { key, dsaEncoding: 'ieee-p1363' };
    this.published = createPublicKey(key);
    this.digest = `sha${jwk.alg?.slice(2)}`;
    Object.assign(this, { kid: jwk.kid, alg: jwk.alg });
  }

  override keyObject(): KeyObject {
    return this.published;
  }

  override sign(data: Buffer): Promise<Buffer> {
    return signElsewhere(this.digest, data, this.input);
  }
}
