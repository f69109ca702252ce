import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

type Algorithm = 'RS256' | 'RS384' | 'PS256' | 'ES256' | 'ES384' | 'EdDSA';
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** A key pair of a client. */
export interface ClientKey {
  alg: Algorithm;
  privateKey: PrivateKey;
  publicKey: PrivateKey;
  /** The public key, which the client registers. */
  jwk: JWK;
}

export async function makeClientKey(alg: Algorithm, kid: string): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, key_ops: ['verify'] } };
}

/** A back-end service with these keys, and optionally with a shared secret. */
export function serviceWithKeys(clientId: string, keys: ClientKey[], secret?: string) {
  return {
    clientId,
    clientName: clientId,
    clientType: 'BackendService',
    enabled: true,
    requireClientSecret: true,
    clientSecrets: [
      ...keys.map(({ jwk }) => ({ secretType: 'JWK', secret: JSON.stringify(jwk), description: String(jwk.kid) })),
      ...(secret === undefined ? [] : [{ secretType: 'SharedSecret', secret, description: 'secret' }]),
    ],
  };
}

export interface AssertionParts {
  clientId: string;
  audience: string;
  key: ClientKey;
  /** Undefined leaves a claim out. */
  claims?: JWTPayload;
  header?: Partial<JWTHeaderParameters>;
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** A client assertion of a SMART app (SMART 2.2 client-confidential-asymmetric). */
export function clientAssertion({ clientId, audience, key, claims, header }: AssertionParts): Promise<string> {
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: randomUUID(),
    exp: nowSeconds() + 300,
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, typ: 'JWT', ...header } as JWTHeaderParameters)
    .sign(key.privateKey);
}
