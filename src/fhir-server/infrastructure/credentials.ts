import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { jwtAlgorithm } from '../../platform/config/jwt-algorithm.js';
import type { FhirServerAddress } from '../domain/connection.js';

type Credentials = FhirServerAddress['credentials'];

const lifetimeSeconds = 300;
/** A margin for a server whose clock is ahead, and for a slow request. */
const renewedBeforeSeconds = 60;

/** The `Authorization` of the next request to a server, if it wants one. */
export function authorizationFor(credentials: Credentials, baseUrl: string): () => Record<string, string> {
  switch (credentials.type) {
    case 'none':
      return () => ({});
    case 'basic': {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
      return () => ({ authorization: `Basic ${pair}` });
    }
    case 'bearer':
      return () => ({ authorization: `Bearer ${credentials.token}` });
    case 'jwt': {
      let current: { token: string; until: number } | undefined;
      return () => {
        const now = Date.now() / 1000;
        if (!current || current.until <= now) {
          current = { token: signed(credentials, baseUrl), until: now + lifetimeSeconds - renewedBeforeSeconds };
        }
        return { authorization: `Bearer ${current.token}` };
      };
    }
  }
}

function signed(
  { privateKey, keyId, issuer, audience, scope }: Extract<Credentials, { type: 'jwt' }>,
  baseUrl: string,
): string {
  const algorithm = jwtAlgorithm(privateKey);
  if (!algorithm) throw new Error('fhir.credentials.privateKey cannot sign');
  return jwt.sign({ scope }, privateKey, {
    algorithm,
    issuer,
    subject: issuer,
    audience: audience ?? baseUrl,
    expiresIn: lifetimeSeconds,
    jwtid: randomUUID(),
    ...(keyId === undefined ? {} : { keyid: keyId }),
  });
}
