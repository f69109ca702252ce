import { decodeJwt } from 'jose';
import Provider, { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { isNestedTooDeeply } from '../../platform/nesting.js';
import { gatehouseClient } from './engine-models.js';
import { clockToleranceSeconds, nowSeconds } from './lifetimes.js';
import { isUnambiguous } from './unambiguous-jwt.js';

/** As FAPI 2.0 Message Signing §5.3.1 has it. */
const longestSeconds = 60 * 60;
/** What PostgreSQL cannot store: NUL and halves of characters. */
const unstorable = /\\u(0000|d[89a-f])/i;

/**
 * Signed requests (RFC 9101) are for clients that are set to send nothing else: who may choose could be made to send an
 * unsigned one. A request object comes by value, is signed with a key that is registered, and is the whole request; its
 * `aud` is the portal, so the FHIR base is named by `resource` (RFC 8707).
 */
export const requestObjects = {
  enabled: true,
  assertJwtClaimsAndHeader(
    ctx: KoaContextWithOIDC,
    claims: Record<string, unknown>,
    header: Record<string, unknown>,
    client: Client,
  ): void {
    // It was looked at when it was pushed; without a signature it is the engine's own way to keep what was pushed.
    if (ctx.oidc.entities.PushedAuthorizationRequest) return;
    const refuse = (detail: string) => {
      throw new errors.InvalidRequestObject(detail);
    };
    // Nothing else that the client signs can be taken for a request (RFC 9101 §10.8.1), and no request for a proof of it.
    if (header.typ !== 'oauth-authz-req+jwt') refuse('the request object must have the typ oauth-authz-req+jwt');
    if (claims.sub !== undefined) refuse('the request object must not have a sub');
    if (claims.client_id !== client.clientId) refuse('the request object must name the client');
    if (typeof claims.exp !== 'number') refuse('the request object must expire');
    if (Number(claims.exp) > nowSeconds() + longestSeconds + clockToleranceSeconds) {
      refuse('the request object lives longer than an hour');
    }
    if (unstorable.test(JSON.stringify(claims))) refuse('the request object has characters that mean nothing');
    if (!isUnambiguous(String(ctx.oidc.params?.request))) refuse('the request object says a thing twice');
  },
};

/**
 * Refuses the request object of a client that has not registered for them, and one that would be the end of its reader,
 * before anything in it is looked at. This is the first thing that the engine asks its client then.
 */
export function refuseUnregisteredObjects(client: Client): void {
  const { requirePar, requireSignedRequestObject } = gatehouseClient(client).settings;
  Object.defineProperty(client, 'requirePushedAuthorizationRequests', {
    get() {
      const { params, entities } = Provider.ctx?.oidc ?? {};
      const object = entities?.PushedAuthorizationRequest ? undefined : params?.request;
      if (object !== undefined && !requireSignedRequestObject) throw new errors.RequestNotSupported();
      if (typeof object === 'string' && !isReadable(object)) {
        throw new errors.InvalidRequestObject('the request object cannot be read');
      }
      return requirePar;
    },
  });
}

/** The engine copies the claims, level by level, and makes texts of them. */
function isReadable(object: string): boolean {
  try {
    const claims = decodeJwt(object);
    if (isNestedTooDeeply(claims)) return false;
    Object.values(claims).forEach(String);
    return true;
  } catch {
    return false;
  }
}

/**
 * The request object of an authorization request, if it is one: sent, or pushed before. The engine has verified it by
 * the time that it looks at scopes.
 */
export function requestObjectOf({ method, query, oidc }: KoaContextWithOIDC): Record<string, unknown> | undefined {
  if (oidc.route !== 'authorization' && oidc.route !== 'pushed_authorization_request') return undefined;
  const text = oidc.entities.PushedAuthorizationRequest?.request ?? (method === 'POST' ? oidc.body : query)?.request;
  return typeof text === 'string' ? decodeJwt(text) : undefined;
}
