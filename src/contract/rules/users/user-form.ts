import { type FieldProblem, type Message, message } from '../../messages/message.js';
import type { Claim, UserType } from '../../session.js';
import { nameProblem, userClaimProblems } from './claims.js';
import { emailProblem } from './email.js';

export const userTypeInvalid = message('user-type-invalid');
export const maxFullName = 200;

/** The user types that an administrator can create (`spec §5`). */
export const createdUserTypes = ['Patient', 'Practitioner'] as const;
export type CreatedUserType = (typeof createdUserTypes)[number];

export function isCreatedUserType(type: string): type is CreatedUserType {
  return createdUserTypes.some((known) => known === type);
}

/** The fields of a user that an administrator may change at any time. */
export interface UserChange {
  fullName: string;
  userType: string;
  claims: readonly Claim[];
}

/** Problems of the form of a new user, at its fields (`spec §5` User form). */
export function userFormProblems(form: UserChange & { email: string }): FieldProblem[] {
  const problem = emailProblem(form.email);
  return [...(problem ? [{ field: 'email', messages: [problem] }] : []), ...formProblems(form)];
}

/** The same for an existing user: the type is free only while it is still Incomplete (`spec §4`). */
export function userChangeProblems(form: UserChange, before: UserType): FieldProblem[] {
  const fixed = before !== 'Incomplete' && form.userType !== before && isCreatedUserType(form.userType);
  return [...(fixed ? [{ field: 'userType', messages: [message('user-type-fixed')] }] : []), ...formProblems(form)];
}

function formProblems({ fullName, userType, claims }: UserChange): FieldProblem[] {
  const fields: [field: string, problem: Message | undefined][] = [
    ['fullName', nameProblem(fullName, maxFullName)],
    ['userType', isCreatedUserType(userType) ? undefined : userTypeInvalid],
  ];
  return [
    ...fields.flatMap(([field, problem]) => (problem ? [{ field, messages: [problem] }] : [])),
    // The rule for a fhirUser claim depends on the type.
    ...(isCreatedUserType(userType) ? userClaimProblems(claims, userType) : []),
  ];
}
