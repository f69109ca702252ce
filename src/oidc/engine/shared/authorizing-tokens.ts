import type { IncomingMessage } from 'node:http';
import { parse, stringify } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccessTokenFacts } from '../../domain/access-tokens.js';

/** Requests that were authorized by an access token instead of the client's credentials. */
const bearers = new WeakMap<IncomingMessage, AccessTokenFacts>();

/** The caller's access token, if it authorizes the request by one (RFC 7662 §2.1, RFC 6750 §2.1). */
export function bearerTokenOf(request: IncomingMessage): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Authorizes the request as the client that the token was issued to; returns the form for the engine. */
export function authorizeByToken(request: IncomingMessage, facts: AccessTokenFacts, form: string): string {
  bearers.set(request, facts);
  delete request.headers.authorization;
  const { client_secret: _secret, client_assertion: _assertion, client_assertion_type: _type, ...rest } = parse(form);
  return stringify({ ...rest, client_id: facts.clientId });
}

/** The token that authorizes the request; undefined if the client's credentials do. */
export function authorizingToken(ctx: KoaContextWithOIDC): AccessTokenFacts | undefined {
  return bearers.get(ctx.req);
}
