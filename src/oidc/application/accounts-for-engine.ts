import type { Account, ClaimsParameterMember, FindAccount } from 'oidc-provider';
import type { AccountFacts } from '../../users/application/accounts.js';
import { gatehouseClient } from './engine-models.js';

type Find = (id: string) => Promise<AccountFacts | undefined>;

/** The engine's Account of a person, with what its claims are made of. */
export interface EngineAccount extends Account {
  facts: AccountFacts;
}

/**
 * `fhirUser` is an absolute URL (SMART 2.2 scopes-and-launch-context); SMART 1.0 knows it as `profile` as well. An
 * id_token says who signed in, and what else is known of them only where the client is set to; userinfo says it all.
 */
export function findAccount(find: Find, fhirBase: string): FindAccount {
  return async (ctx, id) => {
    const facts = await find(id);
    if (!facts) return undefined;
    const fhirUser = facts.fhirUser === undefined ? undefined : `${fhirBase}/${facts.fhirUser}`;
    const account: EngineAccount = {
      accountId: id,
      facts,
      async claims(use: string, _scope: string, _claims: Record<string, ClaimsParameterMember | null>) {
        const inFull = use !== 'id_token' || gatehouseClient(ctx.oidc.client).settings.alwaysIncludeUserClaimsInIdToken;
        return {
          sub: id,
          ...(inFull ? { name: facts.fullName } : {}),
          ...(fhirUser === undefined ? {} : { fhirUser, profile: fhirUser }),
        };
      },
    };
    return account;
  };
}

export const claimsByScope = {
  openid: ['sub', 'acr', 'amr', 'auth_time'],
  profile: ['name', 'profile'],
  fhirUser: ['fhirUser'],
};
