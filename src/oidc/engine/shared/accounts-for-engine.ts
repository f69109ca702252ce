import type { Account, ClaimsParameterMember, FindAccount } from 'oidc-provider';
import type { UserFacts } from '../../../users/application/user-directory.js';
import { belongsTo } from '../../domain/membership.js';
import { type GrantExtras, gatehouseClient } from './engine-models.js';
import type { RequestedBases } from './requested-base.js';
import { claimsOfScopes, contactClaimsOf } from './standard-claims.js';

/** Routes on which a token is issued or used, so that its FHIR base is known. */
const tokenRoutes = new Set(['token', 'userinfo']);

/** Claims of every id_token, if granted (SMART 2.2 scopes-and-launch-context). */
const identifying = new Set(['fhirUser', 'profile']);

type Find = (id: string) => Promise<UserFacts | undefined>;

/** The engine's Account of a user, with the facts from which its claims are built. */
export interface EngineAccount extends Account {
  facts: UserFacts;
}

/**
 * `fhirUser` is an absolute URL (SMART 2.2 scopes-and-launch-context); SMART 1.0 knows it as `profile` as well. An
 * id_token identifies the user; it has further claims only if the client is configured for them or requests them by
 * `claims`. Userinfo has all claims of the granted scopes. A user who has left the tenant of a token is no longer found
 * for it.
 */
export function findAccount(find: Find, bases: RequestedBases): FindAccount {
  return async (ctx, id) => {
    const facts = await find(id);
    const base = bases.forRequest(ctx);
    if (!facts || (tokenRoutes.has(ctx.oidc.route) && !belongsTo(facts, base))) return undefined;
    const account: EngineAccount = {
      accountId: id,
      facts,
      async claims(use: string, scope: string, asked: Record<string, ClaimsParameterMember | null>) {
        const { allowContactScopes, alwaysIncludeUserClaimsInIdToken } = gatehouseClient(ctx.oidc.client).settings;
        const inFull = use !== 'id_token' || alwaysIncludeUserClaimsInIdToken;
        const { representation } = (ctx.oidc.entities.Grant ?? {}) as GrantExtras;
        const reference = facts.fhirUser ?? representation?.fhirUser;
        const fhirUser = reference === undefined ? undefined : `${base.url}/${reference}`;
        const known: Record<string, unknown> = {
          name: facts.fullName,
          ...(allowContactScopes ? contactClaimsOf(facts) : {}),
          ...(fhirUser === undefined ? {} : { fhirUser, profile: fhirUser }),
        };
        const isReturned = (name: string) => inFull || identifying.has(name) || Object.hasOwn(asked, name);
        const returned = claimsOfScopes(scope.split(' ')).filter(
          (name) => Object.hasOwn(known, name) && isReturned(name),
        );
        return { ...Object.fromEntries(returned.map((name) => [name, known[name]])), sub: id };
      },
    };
    return account;
  };
}
