/**
 * The client form as data (`spec §2`, `§4`): which section a field stands in, for which client types it is hidden, what
 * it is by default and what a type forces it to be. Server and browser read the same tables.
 */
import type { ResourceTypeGroup } from '../../clients/client-conditions.js';
import type { ClientSettings } from '../../clients/client-settings.js';
import type { ClientForm } from '../../clients/clients.js';
import type { ClientType } from '../client-values.js';
import type { Served } from '../scopes/scope-effect.js';

export const clientSections = [
  'General Information',
  'Client Secret',
  'Permissions',
  'Authorization Process',
  'Token',
  'SSO',
  'Legal & Compliance',
] as const;
export type ClientSection = (typeof clientSections)[number];

export type ClientField = keyof ClientForm;

/** Texts that are times, such as `1.00:00:00`. */
export const lifetimeFields = [
  'accessTokenLifetime',
  'refreshTokenLifetime',
  'consentLifetime',
  'maxAuthenticationAge',
] as const satisfies readonly ClientField[];
/** Lists that set no limit when they are empty. */
export const emptyForAll: readonly ClientField[] = [
  'allowedResourceTypes',
  'allowedOperationScopes',
  'allowedTenants',
  'identityProviderRestrictions',
];

export type ClientFormMode = 'create' | 'edit' | 'set-type';

/** Settings of the portal that the form depends on. */
export interface ClientFormEnvironment {
  /** Schemes of the configured external providers. */
  identityProviders: readonly string[];
  externalLoginRestricted: boolean;
  operationScopesLoaded: boolean;
  /** Names that stand for several resource types until the form is saved. */
  resourceTypeGroups: readonly ResourceTypeGroup[];
  /** Of the FHIR server behind the gateway; undefined where the portal has no gateway. */
  served: Served | undefined;
}

interface FieldRule {
  section: ClientSection;
  hiddenFor?: readonly ClientType[];
}

/** Fields for the sign-in of users, which a service does not have. */
const services: readonly ClientType[] = ['BackendService', 'ManagementApi'];
const management: readonly ClientType[] = ['ManagementApi'];

/** The fields in the order of the form. */
export const clientFields: Readonly<Record<ClientField, FieldRule>> = {
  enabled: { section: 'General Information' },
  clientName: { section: 'General Information' },
  clientId: { section: 'General Information' },
  clientType: { section: 'General Information' },
  description: { section: 'General Information' },
  clientTags: { section: 'General Information' },
  requireClientSecret: { section: 'Client Secret' },
  clientSecrets: { section: 'Client Secret' },
  allowedSmartActions: { section: 'Permissions', hiddenFor: management },
  allowedSmartLegacyActions: { section: 'Permissions', hiddenFor: management },
  allowedSmartSubjects: { section: 'Permissions', hiddenFor: management },
  allowedResourceTypes: { section: 'Permissions', hiddenFor: management },
  allowedOperationScopes: { section: 'Permissions', hiddenFor: management },
  allowedTenants: { section: 'Permissions', hiddenFor: management },
  allowFirelySpecialScopes: { section: 'Permissions', hiddenFor: management },
  showFineGrainedScopes: { section: 'Permissions', hiddenFor: services },
  allowOfflineAccess: { section: 'Permissions', hiddenFor: services },
  allowOnlineAccess: { section: 'Permissions', hiddenFor: services },
  allowContactScopes: { section: 'Permissions', hiddenFor: services },
  defaultScopes: { section: 'Permissions', hiddenFor: management },
  allowManagementApiAccess: { section: 'Permissions' },
  allowIntrospection: { section: 'Permissions' },
  allowedGrantTypes: { section: 'Authorization Process' },
  requireConsent: { section: 'Authorization Process', hiddenFor: services },
  requiredScopes: { section: 'Authorization Process', hiddenFor: services },
  applicationType: { section: 'Authorization Process', hiddenFor: services },
  redirectUris: { section: 'Authorization Process', hiddenFor: services },
  postLogoutRedirectUris: { section: 'Authorization Process', hiddenFor: services },
  backChannelLogoutUri: { section: 'Authorization Process', hiddenFor: services },
  securityProfile: { section: 'Authorization Process' },
  requirePkce: { section: 'Authorization Process', hiddenFor: services },
  requirePar: { section: 'Authorization Process', hiddenFor: services },
  requireSignedRequestObject: { section: 'Authorization Process', hiddenFor: services },
  requireSignedResponse: { section: 'Authorization Process', hiddenFor: services },
  require2fa: { section: 'Authorization Process', hiddenFor: services },
  requiredAcr: { section: 'Authorization Process', hiddenFor: services },
  maxAuthenticationAge: { section: 'Authorization Process', hiddenFor: services },
  explainRefusals: { section: 'Authorization Process' },
  accessTokenType: { section: 'Token' },
  accessTokenLifetime: { section: 'Token' },
  refreshTokenLifetime: { section: 'Token', hiddenFor: services },
  consentLifetime: { section: 'Token', hiddenFor: services },
  requireDpop: { section: 'Token' },
  alwaysIncludeUserClaimsInIdToken: { section: 'Token', hiddenFor: services },
  clientClaimPrefix: { section: 'Token', hiddenFor: management },
  clientClaims: { section: 'Token', hiddenFor: management },
  alwaysSendClientClaims: { section: 'Token', hiddenFor: management },
  enableLegacyFhirContext: { section: 'Token', hiddenFor: services },
  enableLocalLogin: { section: 'SSO', hiddenFor: services },
  enableExternalLogin: { section: 'SSO', hiddenFor: services },
  identityProviderRestrictions: { section: 'SSO', hiddenFor: services },
  legalCompanyName: { section: 'Legal & Compliance' },
  contactUsUrl: { section: 'Legal & Compliance' },
  privacyPolicyUrl: { section: 'Legal & Compliance' },
  termsOfServiceUrl: { section: 'Legal & Compliance' },
  initiateLoginUri: { section: 'Legal & Compliance', hiddenFor: services },
};

/** `spec §3` Client defaults: everything else is false or empty. */
export function defaultClientSettings(): ClientSettings {
  return {
    description: '',
    requireClientSecret: true,
    allowedGrantTypes: ['authorization_code'],
    allowedSmartActions: ['c', 'r', 'u', 'd', 's'],
    allowedSmartLegacyActions: ['read', 'write', '*'],
    allowedSmartSubjects: ['patient', 'user', 'system'],
    allowedResourceTypes: [],
    allowedOperationScopes: [],
    allowedTenants: [],
    allowFirelySpecialScopes: false,
    showFineGrainedScopes: false,
    allowOfflineAccess: false,
    allowOnlineAccess: false,
    allowContactScopes: false,
    allowManagementApiAccess: false,
    requireConsent: false,
    requiredScopes: [],
    defaultScopes: [],
    applicationType: 'web',
    redirectUris: [],
    postLogoutRedirectUris: [],
    backChannelLogoutUri: '',
    securityProfile: 'none',
    requirePkce: false,
    requirePar: false,
    requireSignedRequestObject: false,
    requireSignedResponse: false,
    requireDpop: false,
    require2fa: false,
    requiredAcr: 'none',
    maxAuthenticationAge: '',
    explainRefusals: false,
    allowIntrospection: false,
    accessTokenType: 'Jwt',
    accessTokenLifetime: '01:00:00',
    refreshTokenLifetime: '90',
    consentLifetime: '',
    alwaysIncludeUserClaimsInIdToken: false,
    clientClaimPrefix: '',
    clientClaims: [],
    alwaysSendClientClaims: false,
    enableLegacyFhirContext: false,
    enableLocalLogin: true,
    enableExternalLogin: true,
    identityProviderRestrictions: [],
    legalCompanyName: '',
    contactUsUrl: '',
    privacyPolicyUrl: '',
    termsOfServiceUrl: '',
    initiateLoginUri: '',
  };
}

/** The initial form of 'Add Client'. */
export function defaultClientForm(): ClientForm {
  return {
    ...defaultClientSettings(),
    clientId: '',
    clientName: '',
    clientType: 'StandaloneApp',
    enabled: true,
    clientTags: [],
    clientSecrets: [],
  };
}

type ForcedValues = Partial<
  Pick<ClientForm, 'allowedGrantTypes' | 'allowedSmartSubjects' | 'allowManagementApiAccess'>
>;

/** The values that choosing a type sets, and keeps locked where `isLocked` says so. */
export function forcedBy(type: ClientType): ForcedValues {
  switch (type) {
    case 'BackendService':
      return {
        allowedGrantTypes: ['client_credentials'],
        allowedSmartSubjects: ['system'],
        allowManagementApiAccess: false,
      };
    case 'ManagementApi':
      return { allowedGrantTypes: ['client_credentials'], allowManagementApiAccess: true };
    case 'StandaloneApp':
      return { allowedGrantTypes: ['authorization_code'] };
    case 'Invalid':
      return {};
  }
}

/**
 * The form after another type was chosen: what the old type had forced goes back to its default, what the new one hides
 * too.
 */
export function applyClientType(form: ClientForm, type: ClientType): ClientForm {
  const left = pickFields(defaultClientForm(), Object.keys(forcedBy(form.clientType)) as ClientField[]);
  return { ...form, ...left, ...hiddenDefaults(type), ...forcedBy(type), clientType: type };
}

/** The defaults of the fields that a type hides. */
export function hiddenDefaults(type: ClientType): Partial<ClientForm> {
  const hidden = (Object.keys(clientFields) as ClientField[]).filter((field) => isHiddenFor(field, type));
  return pickFields(defaultClientForm(), hidden);
}

export function isVisible(field: ClientField, form: ClientForm, environment: ClientFormEnvironment): boolean {
  if (isHiddenFor(field, form.clientType)) return false;
  switch (field) {
    case 'clientSecrets':
      return form.requireClientSecret;
    case 'allowedOperationScopes':
      return environment.operationScopesLoaded;
    case 'enableExternalLogin':
      return environment.identityProviders.length > 0;
    case 'identityProviderRestrictions':
      return environment.identityProviders.length > 0 && form.enableExternalLogin;
    default:
      return true;
  }
}

export function isLocked(
  field: ClientField,
  form: ClientForm,
  mode: ClientFormMode,
  environment: ClientFormEnvironment,
): boolean {
  switch (field) {
    case 'allowedGrantTypes':
      return true;
    case 'clientType':
      // In the set-type flow the type was chosen in the review.
      return mode !== 'create';
    case 'requireClientSecret':
      return mode === 'edit';
    case 'allowedSmartSubjects':
    case 'allowManagementApiAccess':
      return field in forcedBy(form.clientType);
    case 'enableLocalLogin':
    case 'enableExternalLogin':
      return environment.externalLoginRestricted;
    default:
      return false;
  }
}

/** True if an administrator can change the field of a stored client of this type. */
export function isChangeable(
  field: ClientField,
  form: Pick<ClientForm, 'clientType' | 'requireClientSecret'>,
): boolean {
  if (isHiddenFor(field, form.clientType)) return false;
  if (['allowedGrantTypes', 'clientType', 'requireClientSecret'].includes(field)) return false;
  return field === 'clientSecrets' ? form.requireClientSecret : !(field in forcedBy(form.clientType));
}

export function isHiddenFor(field: ClientField, type: ClientType): boolean {
  return clientFields[field].hiddenFor?.includes(type) ?? false;
}

function pickFields(form: ClientForm, fields: readonly ClientField[]): Partial<ClientForm> {
  return Object.fromEntries(fields.map((field) => [field, form[field]]));
}
