import type { ProblemItem } from '../../../../src/contract/problem.js';
import { userChangeProblems, userFormProblems } from '../../../../src/contract/rules/user-form.js';
import type { Claim } from '../../../../src/contract/session.js';
import type { UserView } from '../../../../src/contract/users.js';

/** What stands in the form of a user. */
export interface UserDraft {
  fullName: string;
  email: string;
  /** Empty until it is chosen. */
  userType: string;
  claims: Claim[];
}

/** The draft of a user as it outlives its page, what it began with, and of which version that was. */
export interface KeptUserDraft {
  initial: UserDraft;
  draft: UserDraft;
  version: number | undefined;
}

/** Its name among the drafts that outlive their page. */
export const userDraftName = (id: string) => `user:${id}`;

export const newUser: UserDraft = { fullName: '', email: '', userType: '', claims: [{ name: 'fhirUser', value: '' }] };

export function draftOf({ fullName, email, userType, claims }: UserView): UserDraft {
  return { fullName, email: email ?? '', userType, claims };
}

/** What the server would say of it; `before` is the user that is there already. */
export function problemsOf(draft: UserDraft, before: UserView | undefined): ProblemItem[] {
  return before ? userChangeProblems(draft, before.userType) : userFormProblems(draft);
}

/** The claims after the type was changed: the fhirUser claim begins anew with its prefix (`spec §4`). */
export function claimsForType(claims: readonly Claim[], userType: string): Claim[] {
  const fhirUser = { name: 'fhirUser', value: `${userType}/` };
  const isFhirUser = ({ name }: Claim) => name.trim() === fhirUser.name;
  if (!claims.some(isFhirUser)) return [fhirUser, ...claims];
  return claims.map((claim) => (isFhirUser(claim) ? fhirUser : claim));
}

/** Every place in the form that a problem can be beside. */
export function fieldsOf({ claims }: UserDraft): string[] {
  const inClaims = claims.flatMap((_, index) => [`claims.${index}.name`, `claims.${index}.value`]);
  return ['fullName', 'email', 'userType', 'claims', ...inClaims];
}
