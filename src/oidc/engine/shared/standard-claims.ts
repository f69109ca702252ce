import type { UserFacts } from '../../../users/application/user-directory.js';

/** Claims by scope; `profile` has `name` as well (OpenID Connect Core §5.4). */
const profileClaims = ['given_name', 'family_name', 'locale', 'zoneinfo', 'updated_at'];
const emailClaims = ['email', 'email_verified'];
const phoneClaims = ['phone_number', 'phone_number_verified'];

export const claimsByScope = {
  openid: ['sub', 'acr', 'amr', 'auth_time'],
  profile: ['name', ...profileClaims, 'profile'],
  email: emailClaims,
  phone: phoneClaims,
  fhirUser: ['fhirUser'],
};

const byScope: Readonly<Record<string, readonly string[]>> = claimsByScope;

/** The claims of these scopes. */
export function claimsOfScopes(scopes: readonly string[]): string[] {
  return scopes.flatMap((scope) => (Object.hasOwn(byScope, scope) ? (byScope[scope] ?? []) : []));
}

/** The scope of each claim; identity itself needs no other scope than `openid`. */
const scopesOfClaims = new Map(
  Object.entries(claimsByScope)
    .filter(([scope]) => scope !== 'openid')
    .flatMap(([scope, claims]) => claims.map((claim) => [claim, scope] as const)),
);

/**
 * The scopes that correspond to the single claims of a `claims` parameter (OpenID Connect Core §5.5): a user consents
 * to these scopes, and a client gets the claims if it may have the scopes. Unknown claims are ignored, as §5.5
 * requires.
 */
export function scopesOfRequest(claims: unknown): string[] {
  if (typeof claims !== 'string') return [];
  const { userinfo, id_token: idToken } = JSON.parse(claims) as Record<string, object | undefined>;
  const names = [...Object.keys(userinfo ?? {}), ...Object.keys(idToken ?? {})];
  return [...new Set(names.flatMap((name) => scopesOfClaims.get(name) ?? []))];
}

/**
 * A user's claims by the names of OpenID Connect Core §5.1: from the provider at which they sign in, or from the claims
 * of the account. Unknown values are omitted (§5.3.2); an address is verified if that was proven here or the provider
 * says so.
 */
export function contactClaimsOf(facts: UserFacts): Record<string, unknown> {
  const { email, emailProven, isExternal, standardClaims, claims, toldAt } = facts;
  const known = (name: string) => standardClaims[name] ?? claims.find((claim) => claim.name === name)?.value;
  const texts = ['given_name', 'family_name', 'locale', 'zoneinfo'].map((name) => [name, known(name)] as const);
  const isVerified = (name: string) => known(name) === 'true';
  const phone = known('phone_number');
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    updated_at: Math.floor(toldAt.getTime() / 1000),
    ...(email === null ? {} : { email, email_verified: isExternal ? isVerified('email_verified') : emailProven }),
    ...(phone === undefined ? {} : { phone_number: phone, phone_number_verified: isVerified('phone_number_verified') }),
  };
}
