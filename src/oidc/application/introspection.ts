import type { IncomingMessage } from 'node:http';
import { parse, stringify } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredClients } from '../../clients/application/registered-clients.js';
import type { UserDirectory } from '../../users/application/user-directory.js';
import type { AccessTokenFacts } from './access-tokens.js';
import { gatehouseClient } from './engine-models.js';
import { belongsTo } from './membership.js';
import type { RequestedBases } from './requested-base.js';

/** Requests that were authorized by an access token instead of the credentials of its client. */
const bearers = new WeakMap<IncomingMessage, AccessTokenFacts>();

/** The access token that asks, if it is one that asks (RFC 7662 §2.1, RFC 6750 §2.1). */
export function bearerTokenOf(request: IncomingMessage): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** The token speaks for the client that it was issued to; gives the form as the engine is to read it. */
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
 * Who is told about a token: the client that holds it and resource servers. A token that asks and belongs to a person is
 * told about its own authorization only. Nobody is told about a token whose client or person is gone,
 * the person from its tenant.
 */
export function introspectionPolicy(clients: RegisteredClients, accounts: UserDirectory, bases: RequestedBases) {
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
    const account = await accounts.find(accountId);
    return account !== undefined && belongsTo(account, bases.ofRequest({ resource: token.aud ?? token.resource }));
  };
}
