import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength, ValidateNested } from 'class-validator';
import { RuleLimits } from '../rule-limits.js';
import {
  type AccessTokenType,
  type ApplicationType,
  accessTokenTypes,
  applicationTypes,
  type GrantType,
  grantTypes,
  longestClientTexts,
  mostListItems,
  mostResourceTypes,
  type RequiredAcr,
  requiredAcrs,
  type SecurityProfile,
  type SmartAction,
  type SmartLegacyAction,
  type SmartSubject,
  securityProfiles,
  smartActions,
  smartLegacyActions,
  smartSubjects,
} from '../rules/client-values.js';
import { maxInitiateLoginUri, maxRedirectUri, maxUrl } from '../rules/web-address.js';
import { Claim } from '../session.js';

/** A bound on what is read at all; the limits of `spec §9`, with their texts, are in `rules/clients/client-form.ts`. */
export const longest = 4000;

const Text = (maxLength = longest) => chain(IsString(), MaxLength(longest), RuleLimits({ maxLength }));
const Texts = ({ maxItems = mostListItems, maxLength = longest } = {}) =>
  chain(
    IsArray(),
    ArrayMaxSize(200),
    IsString({ each: true }),
    MaxLength(longest, { each: true }),
    RuleLimits({ maxItems, items: { maxLength } }),
  );
export const Choices = (of: readonly string[]) =>
  chain(IsArray(), ArrayMaxSize(of.length), IsIn([...of], { each: true }));

function chain(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/**
 * The settings of a client that an administrator decides (`spec §3`): stored as one document. Lifetimes are text as
 * typed: days (`90`) or `[d.]hh:mm:ss`; an empty list of types, operations or providers means all.
 */
export class ClientSettings {
  @Text(longestClientTexts.description)
  description: string;

  @IsBoolean()
  requireClientSecret: boolean;

  /** Follows from the client type; may be left out. */
  @Choices(grantTypes)
  allowedGrantTypes: GrantType[];

  @Choices(smartActions)
  allowedSmartActions: SmartAction[];

  @Choices(smartLegacyActions)
  allowedSmartLegacyActions: SmartLegacyAction[];

  @Choices(smartSubjects)
  allowedSmartSubjects: SmartSubject[];

  @Texts({ maxItems: mostResourceTypes })
  allowedResourceTypes: string[];

  @Texts()
  allowedOperationScopes: string[];

  /** Ids of the tenants whose FHIR bases it may get tokens for; empty for every base, that of no tenant included. */
  @Texts()
  allowedTenants: string[];

  @IsBoolean()
  allowFirelySpecialScopes: boolean;

  @IsBoolean()
  showFineGrainedScopes: boolean;

  @IsBoolean()
  allowOfflineAccess: boolean;

  @IsBoolean()
  allowOnlineAccess: boolean;

  /** The scopes `email` and `phone`, and what `profile` tells beyond the name (OpenID Connect Core §5.4). */
  @IsBoolean()
  allowContactScopes: boolean;

  @IsBoolean()
  allowManagementApiAccess: boolean;

  @IsBoolean()
  requireConsent: boolean;

  /** Scopes that users cannot untick on the consent page. */
  @Texts()
  requiredScopes: string[];

  /** Scopes of a request without `scope`; without them such a request is refused (RFC 6749 §3.3). */
  @Texts()
  defaultScopes: string[];

  /**
   * `native` permits the redirect URIs of apps on the user's device: loopback addresses with any port, and schemes with
   * a dot (RFC 8252 §7).
   */
  @IsIn([...applicationTypes])
  applicationType: ApplicationType;

  @Texts({ maxLength: maxRedirectUri })
  redirectUris: string[];

  @Texts({ maxLength: maxRedirectUri })
  postLogoutRedirectUris: string[];

  @Text(maxUrl)
  backChannelLogoutUri: string;

  /** `fapi2` holds the client to the FAPI 2.0 Security Profile: whatever does not comply is refused. */
  @IsIn([...securityProfiles])
  securityProfile: SecurityProfile;

  @IsBoolean()
  requirePkce: boolean;

  @IsBoolean()
  requirePar: boolean;

  /** Every authorization request is a request object, signed with a registered key (RFC 9101). */
  @IsBoolean()
  requireSignedRequestObject: boolean;

  /** Every answer to an authorization request is signed by the portal (JARM). */
  @IsBoolean()
  requireSignedResponse: boolean;

  @IsBoolean()
  requireDpop: boolean;

  @IsBoolean()
  require2fa: boolean;

  /**
   * `phr` accepts only users who have signed in with a passkey, here or as their second factor. Two factors of any kind
   * are `require2fa`.
   */
  @IsIn([...requiredAcrs])
  requiredAcr: RequiredAcr;

  /**
   * Users whose sign-in is older sign in again. Empty for no limit; a request can ask for less by `max_age`, not for
   * more.
   */
  @Text()
  maxAuthenticationAge: string;

  /** Error answers to the client name the cause, as the record of the launch has it for the app's developer. */
  @IsBoolean()
  explainRefusals: boolean;

  /** A resource server that may introspect tokens it was sent. */
  @IsBoolean()
  allowIntrospection: boolean;

  @IsIn([...accessTokenTypes])
  accessTokenType: AccessTokenType;

  @Text()
  accessTokenLifetime: string;

  @Text()
  refreshTokenLifetime: string;

  /** Empty for no end. */
  @Text()
  consentLifetime: string;

  @IsBoolean()
  alwaysIncludeUserClaimsInIdToken: boolean;

  @Text(longestClientTexts.claimPrefix)
  clientClaimPrefix: string;

  @IsArray()
  @ArrayMaxSize(200)
  @ValidateNested({ each: true })
  @Type(() => Claim)
  clientClaims: Claim[];

  @IsBoolean()
  alwaysSendClientClaims: boolean;

  /** `fhirContext` as SMART 2.0 had it: strings instead of objects. */
  @IsBoolean()
  enableLegacyFhirContext: boolean;

  @IsBoolean()
  enableLocalLogin: boolean;

  @IsBoolean()
  enableExternalLogin: boolean;

  @Texts()
  identityProviderRestrictions: string[];

  @Text(longestClientTexts.company)
  legalCompanyName: string;

  @Text(maxUrl)
  contactUsUrl: string;

  @Text(maxUrl)
  privacyPolicyUrl: string;

  @Text(maxUrl)
  termsOfServiceUrl: string;

  /** `initiate_login_uri` (OpenID Connect Dynamic Client Registration §2): the page where users start the app. */
  @Text(maxInitiateLoginUri)
  initiateLoginUri: string;
}
