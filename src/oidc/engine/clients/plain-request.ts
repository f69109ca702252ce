import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'node:querystring';

/** A JWT as it was sent, and its two readable parts. */
export interface SentJwt {
  text: string;
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** A form that a client sent with one proof of itself: one of `secret` and `assertion` is there. */
export interface PlainRequest {
  clientId: string;
  /** Parameters; none is empty or was sent twice. */
  params: Record<string, string>;
  secret?: string;
  assertion?: SentJwt;
}

const formType = /^application\/x-www-form-urlencoded(;\s*charset=utf-8)?$/i;
/** Headers with which the engine does more than issue a bearer token or describe a token. */
const special = ['dpop', 'origin', 'oauth-client-attestation', 'oauth-client-attestation-pop'];
const ofProof = ['client_id', 'client_assertion', 'client_assertion_type'];
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const basicSyntax = /^basic ((?:[A-Za-z0-9+/]{4})+|(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))$/i;
/** Client id and secret without a character that is decoded (RFC 6749 §2.3.1). */
const credentialSyntax = /^([!-$&-*,-9;-~]+):([ -$&-*,-~]+)$/;
const jwtSyntax = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads a request that is written as nearly all are: a form with these parameters and one proof of the client, as a
 * secret in the header or an assertion. Undefined for every other request, the faulty ones among them: the engine reads
 * those.
 */
export function plainRequest(
  headers: IncomingHttpHeaders,
  text: string,
  parameters: readonly string[],
): PlainRequest | undefined {
  if (!formType.test(headers['content-type'] ?? '') || special.some((name) => headers[name] !== undefined)) return;
  const params = parse(text);
  for (const name in params) {
    const value = params[name];
    if (!(parameters.includes(name) || ofProof.includes(name)) || typeof value !== 'string' || value === '') return;
  }
  const proof = proofIn(headers.authorization, params as Record<string, string>);
  if (!proof || (params.client_id !== undefined && params.client_id !== proof.clientId)) return;
  return { params: params as Record<string, string>, ...proof };
}

type Proof = Omit<PlainRequest, 'params'>;

function proofIn(authorization: string | undefined, params: Record<string, string>): Proof | undefined {
  const { client_assertion: assertion, client_assertion_type: type } = params;
  if (authorization === undefined) {
    return assertion !== undefined && type === assertionType ? byAssertion(assertion) : undefined;
  }
  if (assertion !== undefined || type !== undefined) return undefined;
  const credentials = Buffer.from(basicSyntax.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
  const [, clientId, secret] = credentialSyntax.exec(credentials) ?? [];
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

function byAssertion(text: string): Proof | undefined {
  const [header, claims] = jwtSyntax.test(text) ? text.split('.', 2).map(objectIn) : [];
  if (!header || !claims || typeof claims.sub !== 'string' || claims.sub === '') return undefined;
  return { clientId: claims.sub, assertion: { text, header, claims } };
}

function objectIn(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && !Array.isArray(value) && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
