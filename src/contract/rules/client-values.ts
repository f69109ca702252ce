import { message } from '../messages/message.js';

export const clientTypes = ['StandaloneApp', 'BackendService', 'ManagementApi', 'Invalid'] as const;
export type ClientType = (typeof clientTypes)[number];
export const clientTypeRequired = message('client-type-required');

/**
 * The one list of grants: each that a client registers, with the grant types of the token endpoint that come with it
 * (RFC 6749 §1.3, §1.5). Discovery, metrics, the filter of clients and the engine's metadata of a client are derived
 * from it.
 */
const grants = {
  authorization_code: ['authorization_code', 'refresh_token'],
  client_credentials: ['client_credentials'],
} as const;
export type GrantType = keyof typeof grants;
export const grantTypes = Object.keys(grants) as GrantType[];

export type TokenGrantType = (typeof grants)[GrantType][number];
export const tokenGrantTypes: readonly TokenGrantType[] = tokenGrantTypesOf(grantTypes);

/** The grant types with which a client of these grants requests tokens. */
export function tokenGrantTypesOf(registered: readonly GrantType[]): TokenGrantType[] {
  return registered.flatMap((grant) => grants[grant]);
}

export const smartActions = ['c', 'r', 'u', 'd', 's'] as const;
export type SmartAction = (typeof smartActions)[number];

export const smartLegacyActions = ['read', 'write', '*'] as const;
export type SmartLegacyAction = (typeof smartLegacyActions)[number];

export const smartSubjects = ['patient', 'user', 'system'] as const;
export type SmartSubject = (typeof smartSubjects)[number];

export const accessTokenTypes = ['Jwt', 'Reference'] as const;
export type AccessTokenType = (typeof accessTokenTypes)[number];

/**
 * Where an app runs: on a server or in a browser, or on the user's own device (OpenID Connect Dynamic Client
 * Registration §2).
 */
export const applicationTypes = ['web', 'native'] as const;
export type ApplicationType = (typeof applicationTypes)[number];

/** Sets of rules of other organizations that a client can be held to as a whole. */
export const securityProfiles = ['none', 'fapi2'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

/**
 * The weakest sign-in of users that a client accepts, next to `require2fa`: any, or one that cannot be phished
 * (`rules/acr.ts`).
 */
export const requiredAcrs = ['none', 'phr'] as const;
export type RequiredAcr = (typeof requiredAcrs)[number];

export const secretTypes = ['SharedSecret', 'JWK'] as const;
export type SecretType = (typeof secretTypes)[number];

/** Warnings about a stored secret or key: it has expired, expires soon, or was never used. */
export const secretStates = ['expired', 'expiring', 'unused'] as const;
export type SecretState = (typeof secretStates)[number];
/**
 * How clients are found by their secrets and keys: with one in a state, or idle, that is registered and unused for
 * long.
 */
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
export const mostSecrets = 50;
/** FHIR R5 has 157 in all. */
export const mostResourceTypes = 200;
