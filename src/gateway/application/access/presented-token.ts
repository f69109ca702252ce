import { dpopAlgorithms } from '../../../oidc/domain/access-tokens.js';
import { type Challenge, Refusal } from '../../domain/refusal.js';
import type { RequestHeaders } from '../../domain/request-headers.js';

/** RFC 6750 §2.1, RFC 9449 §7.1. */
const credentials = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;

/** The access token of a request, and the DPoP proof where it came with one. Refuses as the user info endpoint does. */
export function presentedToken({ authorization, dpop }: RequestHeaders): { token: string; proof?: string } {
  if (authorization === undefined) throw unauthenticated('This needs an access token.', {});
  const [, scheme = '', token] = credentials.exec(authorization) ?? [];
  if (token === undefined) throw invalidToken();
  const isProven = /^dpop$/i.test(scheme);
  if (isProven && !dpop) throw invalidRequest('The DPoP header is missing.');
  if (!isProven && dpop) throw invalidRequest('With a DPoP header the authorization scheme must be DPoP.');
  return { token, ...(isProven && { proof: dpop }) };
}

export function invalidToken(): Refusal {
  const text = 'The access token is not valid.';
  return unauthenticated(text, { error: 'invalid_token', error_description: text });
}

export function invalidProof(): Refusal {
  const text = 'The DPoP proof is not valid for this request.';
  return unauthenticated(text, { error: 'invalid_dpop_proof', error_description: text });
}

/** The header with which a refusal tells how to be let in: in the scheme of the request, or in both where it used none. */
export function challengeOf({ challenge }: Refusal, headers: RequestHeaders): Record<string, string> | undefined {
  if (!challenge) return undefined;
  const { authorization, dpop } = headers;
  const bearer = written('Bearer', challenge);
  const proven = written('DPoP', { ...challenge, algs: dpopAlgorithms.join(' ') });
  if (authorization === undefined && !dpop) return { 'WWW-Authenticate': `${bearer}, ${proven}` };
  return { 'WWW-Authenticate': dpop || /^dpop\b/i.test(authorization ?? '') ? proven : bearer };
}

function written(scheme: string, parameters: Challenge & { algs?: string }): string {
  const list = Object.entries({ realm: 'fhir', ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return `${scheme} ${list.join(', ')}`;
}

function unauthenticated(message: string, challenge: Challenge): Refusal {
  return new Refusal(401, 'login', message, {}, challenge);
}

/** RFC 6750 §3.1. */
function invalidRequest(text: string): Refusal {
  return new Refusal(400, 'invalid', text, {}, { error: 'invalid_request', error_description: text });
}
