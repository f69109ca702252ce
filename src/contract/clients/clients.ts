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
import { notBlank, RuleLimits } from '../rule-limits.js';
import {
  type ClientType,
  clientTypeRequired,
  clientTypes,
  type GrantType,
  grantTypes,
  longestClientTexts,
  mostSecrets,
  type SecretFilter,
  type SecretType,
  type SmartSubject,
  secretFilters,
  secretTypes,
  smartSubjects,
} from '../rules/client-values.js';
import { clientSortColumns } from '../rules/lists.js';
import { type Act, acts } from '../rules/scopes/access-summary.js';
import { maxUrl } from '../rules/web-address.js';
import { Choices, ClientSettings, longest } from './client-settings.js';
import { ClientTag } from './tags.js';

export type { ClientType, GrantType, SecretType, SmartSubject };

/** A secret or key as it is sent; without an `id` it is new. */
export class ClientSecretForm {
  @IsOptional()
  @IsUUID()
  id?: string | null;

  @IsIn([...secretTypes])
  secretType: SecretType;

  /** A shared secret (only when new), or a public key as JSON; a JWK Set becomes one secret for each of its keys. */
  @IsOptional()
  @IsString()
  @MaxLength(longest * 2)
  secret?: string | null;

  /** The address where the app publishes its keys, instead of `secret`. */
  @IsOptional()
  @IsString()
  @MaxLength(longest)
  @RuleLimits({ maxLength: maxUrl })
  secretUrl?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  @RuleLimits({ maxLength: longestClientTexts.secretDescription })
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
 * `POST /api/admin/client` and `PUT …/{id}`: the client form. What is left out takes its default on creation and stays
 * as it is on a change; null means the default.
 */
export class ClientRequest extends PartialType(ClientSettings) {
  /** For `ContractValidationPipe`: null is not the same as left out. */
  static readonly keepsNull = true;

  /** Read-only: accepted because forms send back what they were given. */
  @IsOptional()
  @IsUUID()
  id?: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  @RuleLimits({ maxLength: longestClientTexts.clientId, pattern: '^\\s*[!-~]+\\s*$' })
  clientId?: string;

  @IsOptional()
  @IsString()
  @MaxLength(longest)
  @RuleLimits({ maxLength: longestClientTexts.clientName, pattern: notBlank })
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
  @ArrayMaxSize(mostSecrets)
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

/**
 * A secret or public key of a client; a shared `secret` is null in every answer but the one that created it
 * (`spec §4`).
 */
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
  /**
   * Present if a file manages the client (`gatehouse apply`): changes by hand are refused with 409, except disabling.
   */
  managed?: true;
}

/** A client in a list. */
export class ListedClient extends ClientView {
  /**
   * The last use of a secret or of a launch that ended well, as far as launches are kept (ISO 8601, UTC); null: none.
   * Present if `withLastUsed` asks for it.
   */
  lastUsed?: string | null;
}

/** `GET /api/admin/client`. */
export class ClientList {
  clients: ListedClient[];
  totalCount: number;
}

/** The query of `GET /api/admin/client`; lists are repeated keys. */
export class ClientListQuery extends ListQuery {
  @IsOptional()
  @IsIn([...clientSortColumns])
  sortColumn: (typeof clientSortColumns)[number] = 'clientId';

  /** `true`: with the time of the last use, which costs a look at other tables for each row. */
  @IsOptional()
  @IsIn(['true', 'false'])
  withLastUsed: 'true' | 'false' = 'false';

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

  /**
   * A client with a secret or key in any of these states is found; for `idle` one that was registered 90 days ago and
   * has used none of its secrets and keys since.
   */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(secretFilters)
  secretStates: SecretFilter[] = [];

  /** A client is found that can get permission for any of these, by scopes of FHIR data of either version of SMART. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(acts)
  permissions: Act[] = [];

  /** A client is found that can get scopes of FHIR data of any of these subjects. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @Choices(smartSubjects)
  subjects: SmartSubject[] = [];

  /** Ids of tags; a client with any of them is found. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(50)
  @IsUUID(undefined, { each: true })
  tags: string[] = [];
}
