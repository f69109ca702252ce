import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredClients } from '../../../clients/application/registered-clients.js';
import type { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import type { UserDirectory } from '../../../users/application/user-directory.js';
import { belongsTo } from '../../domain/membership.js';
import { authorizingToken } from '../shared/authorizing-tokens.js';
import { gatehouseClient } from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';

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
    const bearer = authorizingToken(ctx);
    const isOwn = clientId === caller.clientId;
    const mayAsk =
      bearer?.accountId === undefined
        ? isOwn || gatehouseClient(caller).settings.allowIntrospection
        : grantId !== undefined && grantId === bearer.grantId;
    if (!mayAsk || !(await clients.findByClientId(clientId))) return false;
    if (accountId === undefined) return true;
    if (await paused.isPaused(accountId, clientId)) return false;
    const account = await accounts.findById(accountId);
    return account !== undefined && belongsTo(account, bases.ofRequest({ resource: token.aud ?? token.resource }));
  };
}
