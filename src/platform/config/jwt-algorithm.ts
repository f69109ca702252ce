import { createPrivateKey, type KeyObject } from 'node:crypto';

const ofCurve: Readonly<Record<string, 'ES256' | 'ES384'>> = { prime256v1: 'ES256', secp384r1: 'ES384' };

/**
 * JWT algorithm of a private key in PEM (`SMART 2.2 §client-confidential-asymmetric`); undefined for any other text.
 */
export function jwtAlgorithm(pem: string): 'RS384' | 'ES256' | 'ES384' | undefined {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return undefined;
  }
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') return modulusLength >= 2048 ? 'RS384' : undefined;
  return key.asymmetricKeyType === 'ec' ? ofCurve[namedCurve] : undefined;
}
