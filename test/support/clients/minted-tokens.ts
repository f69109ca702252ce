import { randomUUID } from 'node:crypto';
import { decodeJwt, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import type { TestPortal } from '../portal/portal.js';
import { nowSeconds } from './assertions.js';
import { backendService } from './clients.js';

/** The private key with which the portal signs JWT access tokens. */
export async function signingKeyOf(portal: TestPortal): Promise<JWK> {
  const [row] = await portal.query<{ kid: string; sealed: Buffer }>("SELECT * FROM signing_key WHERE alg = 'ES256'");
  const secrets = portal.apps[0]?.get(Secrets) as Secrets;
  return JSON.parse(secrets.open('signing-keys', row?.sealed as Buffer, row?.kid ?? ''));
}

/** A token of the back-end service as the portal would issue it, except for `claims`. */
export async function mintServiceToken(
  portal: TestPortal,
  { key, claims = {} }: { key?: JWK; claims?: JWTPayload } = {},
): Promise<string> {
  const signing = key ?? (await signingKeyOf(portal));
  const now = nowSeconds();
  return new SignJWT({
    iss: portal.issuer,
    sub: backendService.clientId,
    client_id: backendService.clientId,
    aud: portal.fhirBase,
    scope: 'system/*.rs',
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: signing.kid })
    .sign(signing);
}

/** A copy of an issued token with a new id and these claims. */
export async function mintTokenLike(portal: TestPortal, issued: string, claims: JWTPayload): Promise<string> {
  return mintServiceToken(portal, { claims: { ...decodeJwt(issued), jti: randomUUID(), ...claims } });
}
