import { decodeJwt } from 'jose';
import type Provider from 'oidc-provider';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { isNestedTooDeeply } from '../../../platform/values/json.js';
import { engineRequest, gatehouseClient } from '../shared/engine-models.js';
import { clockToleranceSeconds, nowSeconds } from '../shared/lifetimes.js';
import type { TrialMember } from '../shared/trial-at-hand.js';
import { isUnambiguous } from '../shared/unambiguous-jwt.js';
import { profileFault } from './security-profile.js';

/** Maximum age of `nbf`, and maximum of `exp` after it, in seconds (FAPI 2.0 Message Signing §5.3.1). */
export const longestObjectSeconds = 60 * 60;
/** Seconds in which a request object can be presented again. */
const rememberedSeconds = longestObjectSeconds + 2 * clockToleranceSeconds;
const model = 'RequestObject';
/** Characters that PostgreSQL cannot store: NUL and lone surrogates. */
export const unstorable = /\\u(0000|d[89a-f])/i;

/**
 * Signed requests (RFC 9101) are only for clients that are configured to send nothing else: a client with a choice
 * could be made to send an unsigned one. A request object is passed by value, signed with a registered key, and is the
 * whole request; its `aud` is the portal, so the FHIR base is named by `resource` (RFC 8707).
 */
export const requestObjects = {
  enabled: true,
  assertJwtClaimsAndHeader(
    ctx: KoaContextWithOIDC,
    claims: Record<string, unknown>,
    header: Record<string, unknown>,
    client: Client,
  ): void {
    // A pushed object was checked at the push; without a signature it is the engine's own storage format of a pushed
    // request.
    if (ctx.oidc.entities.PushedAuthorizationRequest) return;
    const refuse = (detail: string) => {
      throw new errors.InvalidRequestObject(detail);
    };
    // No other JWT of the client can be taken for a request (RFC 9101 §10.8.1): proofs have another type, client
    // assertions a sub.
    if (!mayBeRequest(header.typ)) refuse('the request object must have the typ oauth-authz-req+jwt, or none');
    if (claims.sub !== undefined) refuse('the request object must not have a sub');
    if (claims.client_id !== client.clientId) refuse('the request object must name the client');
    const fault = profileFault(client, claims, header);
    if (fault !== undefined) refuse(`the request object is not of the profile: ${fault}`);
    assertLifetime(claims);
    if (unstorable.test(JSON.stringify(claims))) refuse('the request object has characters that cannot be stored');
    if (!isUnambiguous(String(ctx.oidc.params?.request))) refuse('the request object has duplicate members');
  },
};

/** Requested single claims (OpenID Connect Core §5.5) are stored with the code and the tokens. */
export function assertClaimsParameter(_ctx: KoaContextWithOIDC, claims: unknown): void {
  if (!isNestedTooDeeply(claims) && !unstorable.test(JSON.stringify(claims))) return;
  throw new errors.InvalidRequest('claims is nested too deeply or has characters that cannot be stored');
}

/**
 * The type of request objects, that of any JWT, or none (RFC 9101 §10.8.1 recommends one, FAPI 2.0 Message Signing
 * §5.3.1 has it accepted, not demanded). Media types are compared without regard to case, and may omit `application/`
 * (RFC 7515 §4.1.9).
 */
export function mayBeRequest(type: unknown): boolean {
  return type === undefined || (typeof type === 'string' && /^(application\/)?(oauth-authz-req\+)?jwt$/i.test(type));
}

function assertLifetime({ nbf, exp }: Record<string, unknown>): void {
  const refuse = (detail: string) => {
    throw new errors.InvalidRequestObject(detail);
  };
  if (typeof exp !== 'number') refuse('the request object must expire');
  if (typeof nbf !== 'number') refuse('the request object must have an nbf');
  if (Number(nbf) < nowSeconds() - longestObjectSeconds - clockToleranceSeconds) {
    refuse('the nbf of the request object is more than an hour ago');
  }
  if (Number(exp) > Number(nbf) + longestObjectSeconds) refuse('the request object lives longer than an hour');
}

/**
 * A request object with a `jti` is used once: at the push, or else when its code is created. Opening its URL again
 * (reload, Back, a prefetching browser) does not use it, as FAPI 2.0 §5.3.2.2 has it for `request_uri`.
 */
export function installRequestObjectUse(provider: Provider, records: OidcRecords): void {
  const use = async (): Promise<void> => {
    const id = useIn(engineRequest());
    if (id !== undefined && !(await records.insertOnce(model, id, rememberedSeconds))) throw usedObject();
  };
  for (const { prototype } of [provider.PushedAuthorizationRequest, provider.AuthorizationCode]) {
    const { save } = prototype;
    Object.defineProperty(prototype, 'save', {
      configurable: true,
      async value(this: typeof prototype, ...ttl: Parameters<typeof save>) {
        // The portal has made the request of a trial itself.
        if (!(this as TrialMember).trial) await use();
        return save.apply(this, ttl);
      },
    });
  }
}

/** Reports a used request object before the user signs in; the statement that uses it decides. */
export async function refuseUsedObject(ctx: KoaContextWithOIDC, records: OidcRecords): Promise<void> {
  const id = useIn(ctx);
  if (id !== undefined && (await records.findById(model, id))) throw usedObject();
}

/** Id that this request uses up; undefined if there is none, or if the push has used it. */
function useIn({ oidc }: KoaContextWithOIDC): string | undefined {
  const { PushedAuthorizationRequest: pushed, Interaction: interaction } = oidc.entities;
  if (pushed || (interaction as { parJti?: string } | undefined)?.parJti) return undefined;
  // All parameters of these clients come from a request object.
  const isSigned = oidc.client && gatehouseClient(oidc.client).settings.requireSignedRequestObject;
  const jti = isSigned ? oidc.params?.jti : undefined;
  return jti === undefined ? undefined : `${oidc.client?.clientId}\n${String(jti)}`;
}

/** Notes that the `jti` of the request object was used before. */
function usedObject(): errors.InvalidRequestObject {
  note('object-used');
  return new errors.InvalidRequestObject('the request object was used before');
}

/**
 * Refuses the request object of a client that is not configured for them, and one that would exhaust its reader, before
 * its content is read. This is the engine's first query to its client at that point.
 */
export function refuseUnregisteredObjects(client: Client): void {
  const { requirePar, requireSignedRequestObject } = gatehouseClient(client).settings;
  Object.defineProperty(client, 'requirePushedAuthorizationRequests', {
    get() {
      const { params, entities } = engineRequest().oidc;
      const object = entities.PushedAuthorizationRequest ? undefined : params?.request;
      if (object !== undefined && !requireSignedRequestObject) throw new errors.RequestNotSupported();
      if (typeof object === 'string' && !isReadable(object)) {
        throw new errors.InvalidRequestObject('the request object cannot be read');
      }
      return requirePar;
    },
  });
}

/** False if the nesting is too deep: the engine copies the claims recursively and serialises them. */
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
 * The request object of an authorization request, if it has one: sent, or pushed before. The engine has verified it
 * before it checks scopes.
 */
export function requestObjectOf(ctx: KoaContextWithOIDC): Record<string, unknown> | undefined {
  const { oidc } = ctx;
  const text = oidc.entities.PushedAuthorizationRequest?.request ?? sentParameters(ctx).request;
  return typeof text === 'string' && isAuthorization(ctx) ? decodeJwt(text) : undefined;
}

/** The parameters of an authorization request as sent, in the URL or pushed. */
export function sentParameters(ctx: KoaContextWithOIDC): Record<string, unknown> {
  if (!isAuthorization(ctx)) return {};
  return (ctx.method === 'POST' ? ctx.oidc.body : ctx.query) ?? {};
}

function isAuthorization({ oidc: { route } }: KoaContextWithOIDC): boolean {
  return route === 'authorization' || route === 'pushed_authorization_request';
}
