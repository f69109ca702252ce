import type { Account, ClaimsParameterMember, FindAccount } from 'oidc-provider';
import type { UserFacts } from '../../users/application/user-directory.js';
import { gatehouseClient } from './engine-models.js';
import { belongsTo } from './membership.js';
import type { RequestedBases } from './requested-base.js';
import { claimsOfScopes, contactClaimsOf } from './standard-claims.js';

/** Where a token is given or used, so that it is settled which FHIR base it is for. */
const tokenRoutes = new Set(['token', 'userinfo']);

/** In every id_token, where they were granted (SMART 2.2 scopes-and-launch-context). */
const identifying = new Set(['fhirUser', 'profile']);

type Find = (id: string) => Promise<UserFacts | undefined>;

/** The engine's Account of a person, with what its claims are made of. */
export interface EngineAccount extends Account {
  facts: UserFacts;
}

/**
 * `fhirUser` is an absolute URL (SMART 2.2 scopes-and-launch-context); SMART 1.0 knows it as `profile` as well. An
 * id_token says who signed in, and what else is known of them only where the client is set to or asks for it by `claims`;
 * userinfo says it all, within the granted scopes.
 * Who has left the tenant that a token is for is no longer found for it.
 */
export function findAccount(find: Find, bases: RequestedBases): FindAccount {
  return async (ctx, id) => {
    const facts = await find(id);
    const base = bases.forRequest(ctx);
    if (!facts || (tokenRoutes.has(ctx.oidc.route) && !belongsTo(facts, base))) return undefined;
    const fhirUser = facts.fhirUser === undefined ? undefined : `${base.url}/${facts.fhirUser}`;
    const account: EngineAccount = {
      accountId: id,
      facts,
      async claims(use: string, scope: string, asked: Record<string, ClaimsParameterMember | null>) {
        const { allowContactScopes, alwaysIncludeUserClaimsInIdToken } = gatehouseClient(ctx.oidc.client).settings;
        const inFull = use !== 'id_token' || alwaysIncludeUserClaimsInIdToken;
        const known: Record<string, unknown> = {
          name: facts.fullName,
          ...(allowContactScopes ? contactClaimsOf(facts) : {}),
          ...(fhirUser === undefined ? {} : { fhirUser, profile: fhirUser }),
        };
        const isTold = (name: string) => inFull || identifying.has(name) || Object.hasOwn(asked, name);
        const told = claimsOfScopes(scope.split(' ')).filter((name) => Object.hasOwn(known, name) && isTold(name));
        return { ...Object.fromEntries(told.map((name) => [name, known[name]])), sub: id };
      },
    };
    return account;
  };
}
