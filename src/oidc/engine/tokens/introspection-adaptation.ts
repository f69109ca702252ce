import { Injectable } from '@nestjs/common';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { RegisteredClients } from '../../../clients/application/registered-clients.js';
import { acrValues } from '../../../contract/rules/acr.js';
import { PausedApps } from '../../../oidc-store/infrastructure/paused-apps.js';
import { identifyLaunch, note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { UserDirectory } from '../../../users/application/user-directory.js';
import { belongsTo } from '../../domain/membership.js';
import { findAccount } from '../shared/accounts-for-engine.js';
import { authorizingToken } from '../shared/authorizing-tokens.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { RequestedBases } from '../shared/requested-base.js';
import { claimsByScope } from '../shared/standard-claims.js';
import { RepresentedTokens } from './represented-tokens.js';

/** Facts about users and tokens that clients may ask for, and revocation. */
@Injectable()
export class IntrospectionAdaptation implements EngineAdaptation {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly accounts: UserDirectory,
    private readonly bases: RequestedBases,
    private readonly paused: PausedApps,
    private readonly represented: RepresentedTokens,
    private readonly config: Config,
  ) {}

  configuration(): Configuration {
    return {
      findAccount: findAccount((id) => this.accounts.findById(id), this.bases),
      claims: claimsByScope,
      // A level that no sign-in reaches is not announced.
      acrValues: acrValues.filter((level) => level !== 'phr' || this.config.account.passkeys !== 'off'),
      conformIdTokenClaims: false,
      // Every revocation ends the client's access for this user.
      revokeGrantPolicy: () => true,
      features: {
        userinfo: { enabled: true },
        introspection: {
          enabled: true,
          allowedPolicy: introspectionPolicy(this.clients, this.accounts, this.bases, {
            paused: this.paused,
            represented: this.represented,
          }),
        },
        // RFC 9701, for callers that ask for it by their Accept header.
        jwtIntrospection: { enabled: true },
        revocation: { enabled: true, allowedPolicy: (_ctx, caller, token) => mayRevoke(caller, token) },
      },
    };
  }
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
 * tenant, has paused the app or may not act for the patient now, is described to no caller.
 */
function introspectionPolicy(
  clients: RegisteredClients,
  accounts: UserDirectory,
  bases: RequestedBases,
  { paused, represented }: { paused: PausedApps; represented: RepresentedTokens },
) {
  return async (ctx: KoaContextWithOIDC, caller: { clientId: string }, token: Introspected): Promise<boolean> => {
    const { clientId = '', accountId, grantId } = token;
    const bearer = authorizingToken(ctx);
    const isOwn = clientId === caller.clientId;
    const mayAsk =
      bearer?.accountId === undefined
        ? isOwn || gatehouseClient(caller).settings.allowIntrospection
        : grantId !== undefined && grantId === bearer.grantId;
    if (!mayAsk) {
      // The answer is that for a token which does not exist: a reference would tell the difference.
      identifyLaunch({ isHidden: true });
      if (bearer?.accountId === undefined) note('introspection-not-permitted', { owner: clientId });
      else note('introspection-of-other-access');
      return false;
    }
    if (!(await clients.findByClientId(clientId))) return false;
    if (accountId === undefined) return true;
    const reason = await represented.reasonFor(grantId);
    const isPaused = await paused.isPaused(accountId, clientId, () => represented.representationOf(grantId));
    if (isPaused || reason !== undefined) {
      identifyLaunch({ isHidden: true });
      if (isPaused) note('introspection-of-paused', { owner: clientId });
      else note('introspection-of-held', { owner: clientId, reason: reason ?? '' });
      return false;
    }
    const account = await accounts.findById(accountId);
    return account !== undefined && belongsTo(account, bases.ofRequest({ resource: token.aud ?? token.resource }));
  };
}

/** A client revokes its own tokens alone; it is told the same about each (RFC 7009 §2.2). */
function mayRevoke(caller: { clientId: string }, { clientId: owner = '' }: { clientId?: string }): boolean {
  if (owner === caller.clientId) return true;
  identifyLaunch({ isHidden: true });
  note('revocation-of-other-client', { owner });
  return false;
}
