import type { Account, ClaimsParameterMember, FindAccount } from 'oidc-provider';
import type { AccountFacts } from '../../users/application/accounts.js';
import { gatehouseClient } from './engine-models.js';
import { belongsTo } from './membership.js';
import type { RequestedBases } from './requested-base.js';
import { contactClaimsOf } from './standard-claims.js';

/** Where a token is given or used, so that it is settled which FHIR base it is for. */
const tokenRoutes = new Set(['token', 'userinfo']);

type Find = (id: string) => Promise<AccountFacts | undefined>;

/** The engine's Account of a person, with what its claims are made of. */
export interface EngineAccount extends Account {
  facts: AccountFacts;
}

/**
 * `fhirUser` is an absolute URL (SMART 2.2 scopes-and-launch-context); SMART 1.0 knows it as `profile` as well. An
 * id_token says who signed in, and what else is known of them only where the client is set to; userinfo says it all.
 * Who has left the tenant that a token is for is no longer found for it.
 */
export function findAccount(find: Find, bases: RequestedBases): FindAccount {
  return async (ctx, id) => {
    const facts = await find(id);
    const base = bases.of(ctx);
    if (!facts || (tokenRoutes.has(ctx.oidc.route) && !belongsTo(facts, base))) return undefined;
    const fhirUser = facts.fhirUser === undefined ? undefined : `${base.url}/${facts.fhirUser}`;
    const account: EngineAccount = {
      accountId: id,
      facts,
      async claims(use: string, _scope: string, _claims: Record<string, ClaimsParameterMember | null>) {
        const inFull = use !== 'id_token' || gatehouseClient(ctx.oidc.client).settings.alwaysIncludeUserClaimsInIdToken;
        const { allowContactScopes } = gatehouseClient(ctx.oidc.client).settings;
        return {
          sub: id,
          ...(inFull ? { name: facts.fullName } : {}),
          ...(inFull && allowContactScopes ? contactClaimsOf(facts) : {}),
          ...(fhirUser === undefined ? {} : { fhirUser, profile: fhirUser }),
        };
      },
    };
    return account;
  };
}
