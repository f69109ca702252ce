import { type FieldProblem, type Message, message } from '../../messages/message.js';
import type { Claim } from '../../session.js';
import { fieldRequired, lineProblem } from '../text.js';

export const fhirUserMandatory = message('fhir-user-mandatory');
export const fhirUserOnce = message('fhir-user-once');
export const claimIncomplete = message('claim-incomplete');
export const claimDuplicate = message('claim-duplicate');
export const maxClaimName = 250;
export const maxClaimValue = 250;

/**
 * Claims that the portal or the token itself sets: administrators may not set them by hand, neither for a user nor,
 * after prefixing, for a client. Compared without regard to case, so that no look-alike gets in.
 */
const reserved = new Set(
  [
    ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'typ', 'azp', 'nonce', 'acr', 'amr', 'auth_time'],
    ...['at_hash', 'c_hash', 's_hash', 'sid', 'scope', 'client_id', 'cnf', 'act', 'may_act', 'active', 'token_type'],
    ...['patient', 'encounter', 'fhirContext', 'need_patient_banner', 'smart_style_url', 'intent', 'launch'],
    ...['authorization_details', 'events', 'grant', 'grant_id', 'username', 'email_verified'],
  ].map((name) => name.toLowerCase()),
);

const fhirUser = 'fhiruser';
/** The tenant of a user; a client may not set it in its token. */
const tenant = 'tenant';
const resourceId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

export function claimReserved(name: string): Message {
  return message('claim-reserved', { name });
}

/** Checks the form of a fhirUser value: `{type}/{id}`. Returns the message if it is wrong. */
export function fhirUserProblem(value: string, type: string): Message | undefined {
  const prefix = `${type}/`;
  if (!value.startsWith(prefix)) {
    return type === 'Device' ? message('fhir-user-device') : message('fhir-user-type', { type });
  }
  return resourceId.test(value.slice(prefix.length)) ? undefined : message('fhir-user-id', { type });
}

/** The claims of a user of this type; fields are `claims` and `claims.<index>.<name or value>`. */
export function userClaimProblems(claims: readonly Claim[], userType: string): FieldProblem[] {
  const lookAlikes = claims.filter(({ name }) => name.trim().toLowerCase() === fhirUser);
  const problems = claimProblems(claims, { fhirUserType: userType });
  if (!lookAlikes.some(({ name }) => name.trim() === 'fhirUser')) {
    return [{ field: 'claims', messages: [fhirUserMandatory] }, ...problems];
  }
  return lookAlikes.length > 1 ? [...problems, { field: 'claims', messages: [fhirUserOnce] }] : problems;
}

/**
 * Claims of a user; or of a client, which are judged by the name they get (`prefix` + name), and its fhirUser is a
 * Device.
 */
export function claimProblems(
  claims: readonly Claim[],
  options: { prefix?: string; fhirUserType: string; field?: string },
): FieldProblem[] {
  const { prefix = '', fhirUserType, field = 'claims' } = options;
  const isOfClient = options.prefix !== undefined;
  const seen = new Set<string>();
  return claims.flatMap((claim, index): FieldProblem[] => {
    const [name, value] = [claim.name.trim(), claim.value.trim()];
    if (name === '' || value === '') {
      const missing = name === '' ? 'name' : 'value';
      return [{ field: `${field}.${index}.${missing}`, messages: [claimIncomplete] }];
    }
    const key = JSON.stringify([name, value]);
    if (seen.has(key)) return [{ field: `${field}.${index}.name`, messages: [claimDuplicate] }];
    seen.add(key);
    const fullName = prefix + name;
    const nameProblem =
      lineProblem(name, maxClaimName) ??
      (reserved.has(fullName.toLowerCase()) ? claimReserved(fullName) : undefined) ??
      (fullName.toLowerCase() === fhirUser && fullName !== 'fhirUser' ? claimReserved(fullName) : undefined) ??
      (fullName.toLowerCase() === tenant && (isOfClient || fullName !== tenant) ? claimReserved(fullName) : undefined);
    if (nameProblem) return [{ field: `${field}.${index}.name`, messages: [nameProblem] }];
    const valueProblem =
      lineProblem(value, maxClaimValue) ?? (fullName === 'fhirUser' ? fhirUserProblem(value, fhirUserType) : undefined);
    return valueProblem ? [{ field: `${field}.${index}.value`, messages: [valueProblem] }] : [];
  });
}

/** The message for a name that must be there. */
export function nameProblem(text: string, maximum: number): Message | undefined {
  return text.trim() === '' ? fieldRequired : lineProblem(text.trim(), maximum);
}
