import type { IncomingMessage } from 'node:http';
import { parse, stringify } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredClients } from '../../../clients/application/registered-clients.js';
import type { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import type { UserDirectory } from '../../../users/application/user-directory.js';
import type { AccessTokenFacts } from '../../domain/access-tokens.js';
import { belongsTo } from '../../domain/membership.js';
import { gatehouseClient } from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';

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

export function isAuthorizedByToken(ctx: KoaContextWithOIDC): boolean {
  return bearers.has(ctx.req);
}

interface Introspected {
  clientId?: string;
  accountId?: string;
  grantId?: string;
  aud?: unknown;
  resource?: unknown;
}

/**
 * Decides to whom a token is described: to the client that holds it and to resource servers. A caller with a user's
 * access token sees only tokens of its own authorization. A token whose client or user is gone, whose user has left its
 * tenant or has paused the app, is described to no caller.
 */
export function introspectionPolicy(
  clients: RegisteredClients,
  accounts: UserDirectory,
  bases: RequestedBases,
  paused: PausedApps,
) {
  return async (ctx: KoaContextWithOIDC, caller: { clientId: string }, token: Introspected): Promise<boolean> => {
    const { clientId = '', accountId, grantId } = token;
    const bearer = bearers.get(ctx.req);
    const isOwn = clientId === caller.clientId;
    const mayAsk =
      bearer?.accountId === undefined
        ? isOwn || gatehouseClient(caller).settings.allowIntrospection
        : grantId !== undefined && grantId === bearer.grantId;
    if (!mayAsk || !(await clients.find(clientId))) return false;
    if (accountId === undefined) return true;
    if (await paused.isPaused(accountId, clientId)) return false;
    const account = await accounts.find(accountId);
    return account !== undefined && belongsTo(account, bases.ofRequest({ resource: token.aud ?? token.resource }));
  };
}
