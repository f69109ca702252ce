import { bearerCredentials } from '../../../contract/rules/authorization-header.js';
import {
  type AccessTokenFacts,
  type AccessTokens,
  dpopAlgorithms,
  InvalidProof,
  NonceNeeded,
} from '../../../oidc/domain/access-tokens.js';
import { type Challenge, Refusal } from '../../domain/refusal.js';
import type { RequestHeaders } from '../../domain/request-headers.js';
import { TokenPermissions } from '../../domain/token-permissions.js';
import type { GatewayRequest } from '../server/gateway-request.js';
import type { ActingUsers } from './acting-users.js';

/**
 * The FHIR server validates JWTs with clocks that differ and apps refresh late (`spec §9`: 5 minutes, here and nowhere
 * else).
 */
const graceSeconds = 300;
/** A valid access token for this FHIR base. */
export interface VerifiedToken {
  facts: AccessTokenFacts;
  permissions: TokenPermissions;
}

/** Verifies the access tokens of requests at one FHIR base. */
export class Authentication {
  /** Kept as long as the token's facts are, which are the same object for all requests of a moment. */
  private readonly permissions = new WeakMap<AccessTokenFacts, TokenPermissions>();

  constructor(
    private readonly tokens: AccessTokens,
    /** The base as clients see it; tokens for another one permit nothing here. */
    private readonly fhirBase: string,
    private readonly acting: ActingUsers,
  ) {}

  /** Throws a {@link Refusal} unless the request has a valid token for this base. */
  async verify({ headers, method, target }: GatewayRequest): Promise<VerifiedToken> {
    const { token, proof } = presentedToken(headers);
    const proven = proof === undefined ? undefined : { proof, method, url: this.fhirBase + target };
    const facts = await this.tokens.verify(token, { graceSeconds, proven }).catch((error: unknown) => {
      throw error instanceof InvalidProof ? refusedProof(error) : error;
    });
    if (facts?.audience !== this.fhirBase) throw invalidToken();
    const permissions = this.permissionsOf(facts);
    if (facts.representation === undefined) return { facts, permissions };
    const limit = await this.acting.limitOf(facts, this.fhirBase);
    if (!limit) throw invalidToken();
    return { facts, permissions: permissions.within({ limit, protection: this.acting.protection }) };
  }

  private permissionsOf(facts: AccessTokenFacts): TokenPermissions {
    const known = this.permissions.get(facts);
    if (known) return known;
    const permissions = new TokenPermissions(facts, this.fhirBase, { protection: this.acting.protection });
    this.permissions.set(facts, permissions);
    return permissions;
  }
}

/** The access token of a request, and the DPoP proof where it came with one. Refuses as the user info endpoint does. */
function presentedToken({ authorization, dpop }: RequestHeaders): { token: string; proof?: string } {
  if (authorization === undefined) throw unauthenticated('This needs an access token.', {});
  const [, scheme = '', token] = bearerCredentials.exec(authorization) ?? [];
  if (token === undefined) throw invalidToken();
  const isProven = /^dpop$/i.test(scheme);
  if (isProven && !dpop) throw invalidRequest('The DPoP header is missing.');
  if (!isProven && dpop) throw invalidRequest('With a DPoP header the authorization scheme must be DPoP.');
  return { token, ...(isProven && { proof: dpop }) };
}

function invalidToken(): Refusal {
  const text = 'The access token is not valid.';
  return unauthenticated(text, { error: 'invalid_token', error_description: text });
}

function refusedProof(problem: InvalidProof): Refusal {
  if (problem instanceof NonceNeeded) {
    const wanted = 'The DPoP proof needs the nonce of the header DPoP-Nonce.';
    const challenge: Challenge = { error: 'use_dpop_nonce', error_description: wanted };
    return new Refusal(401, 'login', wanted, { 'DPoP-Nonce': problem.nonce }, challenge);
  }
  const text = `The DPoP proof is not valid for this request: ${permittedIn(problem.message)}.`;
  return unauthenticated(text, { error: 'invalid_dpop_proof', error_description: text });
}

/**
 * The header with which a refusal tells how to be let in: in the scheme DPoP for a token that is bound to a key, else
 * in the scheme of the request, or in both where it used none.
 */
export function challengeOf({ challenge: sent }: Refusal, headers: RequestHeaders): Record<string, string> | undefined {
  if (!sent) return undefined;
  const { isBound, ...challenge } = sent;
  const { authorization, dpop } = headers;
  const bearer = challengeHeader('Bearer', challenge);
  const proven = challengeHeader('DPoP', { ...challenge, algs: dpopAlgorithms.join(' ') });
  if (isBound) return { 'WWW-Authenticate': proven };
  if (authorization === undefined && !dpop) return { 'WWW-Authenticate': `${bearer}, ${proven}` };
  return { 'WWW-Authenticate': dpop || /^dpop\b/i.test(authorization ?? '') ? proven : bearer };
}

function challengeHeader(scheme: string, parameters: Challenge & { algs?: string }): string {
  const list = Object.entries({ realm: 'fhir', ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return `${scheme} ${list.join(', ')}`;
}

/** The characters that a description may have (RFC 6750 §3). */
function permittedIn(text: string): string {
  return text.replace(/[^ !#-[\]-~]/g, '?');
}

function unauthenticated(message: string, challenge: Challenge): Refusal {
  return new Refusal(401, 'login', message, {}, challenge);
}

/** RFC 6750 §3.1. */
function invalidRequest(text: string): Refusal {
  return new Refusal(400, 'invalid', text, {}, { error: 'invalid_request', error_description: text });
}
