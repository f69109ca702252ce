import type { ProblemItem } from '../problem.js';
import type { Claim } from '../session.js';
import { nameProblem, userClaimProblems } from './claims.js';
import { emailProblem } from './email.js';

export const userTypeInvalid = 'The user type must be Patient or Practitioner.';
export const maxFullName = 200;

/** The kinds of people an administrator can create (`spec §5`). */
export const createdUserTypes = ['Patient', 'Practitioner'] as const;
export type CreatedUserType = (typeof createdUserTypes)[number];

export function isCreatedUserType(type: string): type is CreatedUserType {
  return createdUserTypes.some((known) => known === type);
}

/** What is wrong with the user form, beside its fields (`spec §5` User form). */
export function userFormProblems(form: {
  fullName: string;
  email: string;
  userType: string;
  claims: readonly Claim[];
}): ProblemItem[] {
  const { fullName, email, userType, claims } = form;
  const fields: [field: string, problem: string | undefined][] = [
    ['fullName', nameProblem(fullName, maxFullName)],
    ['email', emailProblem(email)],
    ['userType', isCreatedUserType(userType) ? undefined : userTypeInvalid],
  ];
  return [
    ...fields.flatMap(([field, problem]) => (problem ? [{ field, messages: [problem] }] : [])),
    // What a fhirUser claim must be depends on the type.
    ...(isCreatedUserType(userType) ? userClaimProblems(claims, userType) : []),
  ];
}
