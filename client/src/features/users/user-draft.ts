import type { ProblemItem } from '../../../../src/contract/problem.js';
import { userChangeProblems, userFormProblems } from '../../../../src/contract/rules/users/user-form.js';
import type { Claim } from '../../../../src/contract/session.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { translateProblems } from '../../shared/i18n/messages.js';
import '../../shared/ui/forms/words/en.js';

/** The values in the form of a user. */
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

/** The problems that the server would report, in the language of the page; `before` is the stored user. */
export function problemsOf(draft: UserDraft, before: UserView | undefined): ProblemItem[] {
  return translateProblems(before ? userChangeProblems(draft, before.userType) : userFormProblems(draft));
}

/** The claims after the type was changed: the fhirUser claim is reset to its prefix (`spec §4`). */
export function claimsForType(claims: readonly Claim[], userType: string): Claim[] {
  const fhirUser = { name: 'fhirUser', value: `${userType}/` };
  const isFhirUser = ({ name }: Claim) => name.trim() === fhirUser.name;
  if (!claims.some(isFhirUser)) return [fhirUser, ...claims];
  return claims.map((claim) => (isFhirUser(claim) ? fhirUser : claim));
}

/** Every place in the form that a problem can be next to. */
export function fieldsOf({ claims }: UserDraft): string[] {
  const inClaims = claims.flatMap((_, index) => [`claims.${index}.name`, `claims.${index}.value`]);
  return ['fullName', 'email', 'userType', 'claims', ...inClaims];
}
