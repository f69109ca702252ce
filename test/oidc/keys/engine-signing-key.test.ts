import { verify } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { EngineSigningKey } from '../../../src/oidc/engine/keys/engine-signing-key.js';

async function keyOf(alg: string): Promise<EngineSigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return new EngineSigningKey({ ...(await exportJWK(privateKey)), alg, kid: alg });
}

const isValid = (key: EngineSigningKey, alg: string, data: Buffer, signature: Buffer) =>
  verify(`sha${alg.slice(2)}`, data, { key: key.keyObject(), dsaEncoding: 'ieee-p1363' }, signature);

describe('A signing key', () => {
  it('gives P-256 signatures of 64 bytes, also where R or S is short (RFC 7518 §3.4)', async () => {
    const key = await keyOf('ES256');
    let short = 0;
    for (let number = 0; number < 3000; number += 1) {
      const data = Buffer.from(`header.${number}`);
      const signature = await key.sign(data);
      expect([signature.length, isValid(key, 'ES256', data, signature)]).toEqual([64, true]);
      if (signature[0] === 0 || signature[32] === 0) short += 1;
    }
    // One of 128 signatures.
    expect(short).toBeGreaterThan(0);
  });

  it.each(['ES384', 'ES512', 'RS256', 'RS384'])('gives signatures that are valid (%s)', async (alg) => {
    const key = await keyOf(alg);
    const data = Buffer.from('header.claims');
    expect(isValid(key, alg, data, await key.sign(data))).toBe(true);
  });
});
