import { PartialType } from '@nestjs/mapped-types';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { asList, ListQuery } from '../list-query.js';
import { clientSortColumns } from '../rules/clients/client-list.js';
import {
  type AccessTokenType,
  accessTokenTypes,
  type ClientType,
  clientTypeRequired,
  clientTypes,
  type GrantType,
  grantTypes,
  type SecretState,
  type SecretType,
  type SecurityProfile,
  type SmartAction,
  type SmartLegacyAction,
  type SmartSubject,
  secretStates,
  secretTypes,
  securityProfiles,
  smartActions,
  smartLegacyActions,
  smartSubjects,
} from '../rules/clients/client-values.js';
import { Claim } from '../session.js';
import { ClientTag } from './tags.js';

export type { AccessTokenType, ClientType, GrantType, SecretType, SmartAction, SmartLegacyAction, SmartSubject };

/** A bound on what is read at all; the limits of `spec §9`, with their texts, are in `rules/client-form.ts`. */
const longest = 4000;

const Text = () => chain(IsString(), MaxLength(longest));
const Texts = () => chain(IsArray(), ArrayMaxSize(200), IsString({ each: true }), MaxLength(longest, { each: true }));
const Choices = (of: readonly string[]) => chain(IsArray(), ArrayMaxSize(of.length), IsIn([...of], { each: true }));

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
  @Text()
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

  @Texts()
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

  @Texts()
  redirectUris: string[];

  @Texts()
  postLogoutRedirectUris: string[];

  @Text()
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

  @Text()
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

  @Text()
  legalCompanyName: string;

  @Text()
  contactUsUrl: string;

  @Text()
  privacyPolicyUrl: string;

  @Text()
  termsOfServiceUrl: string;

  /** `initiate_login_uri` (OpenID Connect Dynamic Client Registration §2): the page where users start the app. */
  @Text()
  initiateLoginUri: string;
}

/** A secret or key as it is sent; without an `id` it is new. */
export class ClientSecretForm {
  @IsOptional()
  @IsUUID()
  id?: string | null;

  @IsIn([...secretTypes])
  secretType: SecretType;

  /** A shared secret (only when new), or a public key as JSON. */
  @IsOptional()
  @IsString()
  @MaxLength(longest * 2)
  secret?: string | null;

  /** The address where the app publishes its keys, instead of `secret`. */
  @IsOptional()
  @IsString()
  @MaxLength(longest)
  secretUrl?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  description?: string | null;

  /** ISO 8601; none for no end. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  @MaxLength(40)
  expires?: string | null;

  /** Read-only: accepted because forms send back what they were given. */
  @IsOptional()
  @IsString()
  @MaxLength(40)
  lastUsed?: string | null;
}

/** A tag of a client; only the `id` counts. */
export class ClientTagReference {
  @IsUUID()
  id: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  value?: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  color?: string;
}

/**
 * `POST /api/admin/client` and `PUT …/{id}`: the client form. What is left out takes its default on creation and stays as
 * it is on a change; null means the default.
 */
export class ClientRequest extends PartialType(ClientSettings) {
  /** Read-only: accepted because forms send back what they were given. */
  @IsOptional()
  @IsUUID()
  id?: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  clientId?: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  clientName?: string;

  /** `ManagementAPI` is another spelling of `ManagementApi`. */
  @ValidateIf((_, value) => value !== undefined)
  @Transform(({ value }: { value: unknown }) => (value === 'ManagementAPI' ? 'ManagementApi' : value))
  @IsIn([...clientTypes], { context: clientTypeRequired })
  clientType?: ClientType;

  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => ClientTagReference)
  clientTags?: ClientTagReference[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => ClientSecretForm)
  clientSecrets?: ClientSecretForm[];

  /** The `version` that was read: when it is no longer the current one, the change is refused with 409. */
  @IsOptional()
  @IsInt()
  @Min(1)
  version?: number;

  /** Read-only: accepted because forms send back what they were given. */
  @IsOptional()
  @IsBoolean()
  managed?: boolean;
}

/** The complete form, as rules and aggregate see it. */
export interface ClientForm extends ClientSettings {
  clientId: string;
  clientName: string;
  clientType: ClientType;
  enabled: boolean;
  clientTags: ClientTagReference[];
  clientSecrets: ClientSecretForm[];
}

/** A secret or public key of a client; a shared `secret` is null in every answer but the one that created it (`spec §4`). */
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

/** A client as lists and forms see it. */
export class ClientView extends ClientSettings {
  id: string;
  clientId: string;
  clientName: string;
  clientType: ClientType;
  enabled: boolean;
  clientTags: ClientTag[];
  clientSecrets: ClientSecretView[];
  /** Counts saves: a PUT that carries an older one is refused with 409. */
  version: number;
  /** Present if a file manages the client (`gatehouse apply`): changes by hand are refused with 409, except disabling. */
  managed?: true;
}

/** `GET /api/admin/client`. */
export class ClientList {
  clients: ClientView[];
  totalCount: number;
}

/** The query of `GET /api/admin/client`; lists are repeated keys. */
export class ClientListQuery extends ListQuery {
  @IsOptional()
  @IsIn([...clientSortColumns])
  sortColumn: (typeof clientSortColumns)[number] = 'clientId';

  /** `true` and `false` together, like neither, mean all clients. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(['true', 'false'])
  isEnabled: ('true' | 'false')[] = [];

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(grantTypes)
  grantTypes: GrantType[] = [];

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(clientTypes)
  clientTypes: ClientType[] = [];

  /** A client with a secret or key in any of these states is found. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(secretStates)
  secretStates: SecretState[] = [];

  /** Ids of tags; a client with any of them is found. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(50)
  @IsUUID(undefined, { each: true })
  tags: string[] = [];
}
