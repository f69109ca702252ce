/**
 * The fields of the client form by the specification (`spec §3` to `§5`). Client types: StandaloneApp (S),
 * BackendService (B), ManagementApi (M). `visible`: the types that show the field. `locked`: the types that lock it, by
 * mode. `emptied`: the message at the field when it has no value, for all types that show it. `unlimited`: the list
 * sets no limit when it is empty.
 */
export interface ExpectedField {
  section: string;
  visible: string;
  locked: Partial<Record<'create' | 'edit' | 'set-type', string>>;
  initial: unknown;
  emptied?: string;
  unlimited?: true;
}

const required = 'Field is required';
const lifetime = 'Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"';
const always = (types: string) => ({ create: types, edit: types, 'set-type': types });

const row = (
  section: string,
  visible: string,
  initial: unknown,
  more: Partial<Pick<ExpectedField, 'locked' | 'emptied' | 'unlimited'>> = {},
): ExpectedField => ({ section, visible, initial, locked: {}, ...more });

const general = 'General Information';
const permissions = 'Permissions';
const process = 'Authorization Process';
const legal = 'Legal & Compliance';

export const expectedFields: Record<string, ExpectedField> = {
  enabled: row(general, 'SBM', true),
  clientName: row(general, 'SBM', '', { emptied: required }),
  clientId: row(general, 'SBM', '', { emptied: required }),
  clientType: row(general, 'SBM', 'StandaloneApp', { locked: { edit: 'SBM', 'set-type': 'SBM' } }),
  description: row(general, 'SBM', ''),
  clientTags: row(general, 'SBM', []),
  requireClientSecret: row('Client Secret', 'SBM', true, { locked: { edit: 'SBM' } }),
  clientSecrets: row('Client Secret', 'SBM', [], { emptied: 'Please provide at least one Client Secret' }),
  allowedSmartActions: row(permissions, 'SB', ['c', 'r', 'u', 'd', 's']),
  allowedSmartLegacyActions: row(permissions, 'SB', ['read', 'write', '*']),
  allowedSmartSubjects: row(permissions, 'SB', ['patient', 'user', 'system'], {
    locked: always('B'),
    emptied: required,
  }),
  allowedResourceTypes: row(permissions, 'SB', [], { unlimited: true }),
  allowedOperationScopes: row(permissions, 'SB', [], { unlimited: true }),
  allowedTenants: row(permissions, 'SB', [], { unlimited: true }),
  allowFirelySpecialScopes: row(permissions, 'SB', false),
  showFineGrainedScopes: row(permissions, 'S', false),
  allowOfflineAccess: row(permissions, 'S', false),
  allowOnlineAccess: row(permissions, 'S', false),
  allowContactScopes: row(permissions, 'S', false),
  defaultScopes: row(permissions, 'SB', []),
  allowManagementApiAccess: row(permissions, 'SBM', false, { locked: always('BM') }),
  allowIntrospection: row(permissions, 'SBM', false),
  allowedGrantTypes: row(process, 'SBM', ['authorization_code'], { locked: always('SBM'), emptied: required }),
  requireConsent: row(process, 'S', false),
  requiredScopes: row(process, 'S', []),
  applicationType: row(process, 'S', 'web'),
  redirectUris: row(process, 'S', [], { emptied: 'Please provide at least one Redirect URI' }),
  postLogoutRedirectUris: row(process, 'S', []),
  backChannelLogoutUri: row(process, 'S', ''),
  securityProfile: row(process, 'SBM', 'none'),
  requirePkce: row(process, 'S', false),
  requirePar: row(process, 'S', false),
  requireSignedRequestObject: row(process, 'S', false),
  requireSignedResponse: row(process, 'S', false),
  require2fa: row(process, 'S', false),
  requiredAcr: row(process, 'S', 'none'),
  maxAuthenticationAge: row(process, 'S', ''),
  explainRefusals: row(process, 'SBM', false),
  accessTokenType: row('Token', 'SBM', 'Jwt'),
  accessTokenLifetime: row('Token', 'SBM', '01:00:00', { emptied: lifetime }),
  refreshTokenLifetime: row('Token', 'S', '90', { emptied: lifetime }),
  consentLifetime: row('Token', 'S', ''),
  requireDpop: row('Token', 'SBM', false),
  alwaysIncludeUserClaimsInIdToken: row('Token', 'S', false),
  clientClaimPrefix: row('Token', 'SB', ''),
  clientClaims: row('Token', 'SB', []),
  alwaysSendClientClaims: row('Token', 'SB', false),
  enableLegacyFhirContext: row('Token', 'S', false),
  enableLocalLogin: row('SSO', 'S', true),
  enableExternalLogin: row('SSO', 'S', true),
  identityProviderRestrictions: row('SSO', 'S', [], { unlimited: true }),
  legalCompanyName: row(legal, 'SBM', ''),
  contactUsUrl: row(legal, 'SBM', ''),
  privacyPolicyUrl: row(legal, 'SBM', ''),
  termsOfServiceUrl: row(legal, 'SBM', ''),
  initiateLoginUri: row(legal, 'S', ''),
};
