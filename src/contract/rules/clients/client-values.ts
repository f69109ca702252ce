import { message } from '../../messages/message.js';
export const clientTypes = ['StandaloneApp', 'BackendService', 'ManagementApi', 'Invalid'] as const;
export type ClientType = (typeof clientTypes)[number];
export const clientTypeRequired = message('client-type-required');

export const grantTypes = ['authorization_code', 'client_credentials'] as const;
export type GrantType = (typeof grantTypes)[number];

export const smartActions = ['c', 'r', 'u', 'd', 's'] as const;
export type SmartAction = (typeof smartActions)[number];

export const smartLegacyActions = ['read', 'write', '*'] as const;
export type SmartLegacyAction = (typeof smartLegacyActions)[number];

export const smartSubjects = ['patient', 'user', 'system'] as const;
export type SmartSubject = (typeof smartSubjects)[number];

export const accessTokenTypes = ['Jwt', 'Reference'] as const;
export type AccessTokenType = (typeof accessTokenTypes)[number];

/** Sets of rules of other organizations that a client can be held to as a whole. */
export const securityProfiles = ['none', 'fapi2'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

/** The weakest sign-in of users that a client accepts, beside `require2fa`: any, or one that cannot be phished (`rules/acr.ts`). */
export const requiredAcrs = ['none', 'phr'] as const;
export type RequiredAcr = (typeof requiredAcrs)[number];

export const secretTypes = ['SharedSecret', 'JWK'] as const;
export type SecretType = (typeof secretTypes)[number];

/** Warnings about a stored secret or key: it has expired, expires soon, or was never used. */
export const secretStates = ['expired', 'expiring', 'unused'] as const;
export type SecretState = (typeof secretStates)[number];
/** How clients are found by their secrets and keys: with one in a state, or idle, that is registered and unused for long. */
export const secretFilters = [...secretStates, 'idle'] as const;
export type SecretFilter = (typeof secretFilters)[number];

/** The most characters of a client's texts (`spec §9`). */
export const longestClientTexts = {
  clientName: 200,
  clientId: 200,
  description: 1000,
  claimPrefix: 200,
  company: 200,
  secretDescription: 100,
} as const;
/** More items than an administrator maintains by hand. */
export const mostListItems = 100;
/** FHIR R5 has 157 in all. */
export const mostResourceTypes = 200;
