import type { ClientTag } from './tags.js';

export const clientTypes = ['StandaloneApp', 'BackendService', 'ManagementApi', 'Invalid'] as const;
export type ClientType = (typeof clientTypes)[number];

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

export const secretTypes = ['SharedSecret', 'JWK'] as const;
export type SecretType = (typeof secretTypes)[number];

export class ClientClaim {
  name: string;
  value: string;
}

/** A secret or public key of a client; `secret` is null in every answer but the one that created it (`spec §4`). */
export class ClientSecretView {
  id: string;
  secretType: SecretType;
  /** For a JWK given by value, the public key as JSON. Null for a shared secret once it is stored. */
  secret: string | null;
  /** For a JWK by JWKS URL. */
  secretUrl: string | null;
  description: string | null;
  /** ISO 8601, UTC. */
  expires: string | null;
  lastUsed: string | null;
}

/**
 * What an administrator decides about a client (`spec §3`): stored as one document.
 * Lifetimes are text as typed: days (`90`) or `[d.]hh:mm:ss`; an empty list of types, operations or providers means all.
 */
export interface ClientSettings {
  description: string;
  requireClientSecret: boolean;
  allowedGrantTypes: GrantType[];
  allowedSmartActions: SmartAction[];
  allowedSmartLegacyActions: SmartLegacyAction[];
  allowedSmartSubjects: SmartSubject[];
  allowedResourceTypes: string[];
  allowedOperationScopes: string[];
  allowFirelySpecialScopes: boolean;
  showFineGrainedScopes: boolean;
  allowOfflineAccess: boolean;
  allowOnlineAccess: boolean;
  allowManagementApiAccess: boolean;
  requireConsent: boolean;
  requiredScopes: string[];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backChannelLogoutUri: string;
  requirePkce: boolean;
  requirePar: boolean;
  requireDpop: boolean;
  require2fa: boolean;
  allowIntrospection: boolean;
  accessTokenType: AccessTokenType;
  accessTokenLifetime: string;
  refreshTokenLifetime: string;
  consentLifetime: string;
  alwaysIncludeUserClaimsInIdToken: boolean;
  clientClaimPrefix: string;
  clientClaims: ClientClaim[];
  alwaysSendClientClaims: boolean;
  enableLegacyFhirContext: boolean;
  enableLocalLogin: boolean;
  enableExternalLogin: boolean;
  identityProviderRestrictions: string[];
  legalCompanyName: string;
  contactUsUrl: string;
  privacyPolicyUrl: string;
  termsOfServiceUrl: string;
}

/** A client as lists and forms see it. */
export interface ClientIdentity {
  id: string;
  clientId: string;
  clientName: string;
  clientType: ClientType;
  enabled: boolean;
  clientTags: ClientTag[];
  clientSecrets: ClientSecretView[];
  /** Counts saves: a PUT that carries an older one is refused with 409. */
  version: number;
}
