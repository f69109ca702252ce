import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import type { SeenKinds } from '../audit/access-detail.js';
import { OptionalOrEmpty } from '../list-query.js';

/** The access that one API permission of a grant gives the app, in plain words. */
export class ApiGrant {
  /** The technical scope. */
  scope: string;
  displayName: string;
  description: string;
}

/** An agreed disclaimer. */
export class GrantDisclaimer {
  disclaimerDetails: DisclaimerDetails;
  tenantId: string | null;
  clientId: string | null;
  disclaimerId: string;
}

export class DisclaimerDetails {
  description: string;
  disclaimerHtml: string;
}

/** One app's card on `/user/grants` (`spec §3` Grant); dates are ISO 8601 in UTC. */
export class ClientGrant {
  clientId: string;
  clientName: string;
  clientDescription: string | null;
  created: string | null;
  expires: string | null;
  /**
   * The app's last access to the FHIR server through this portal, or the last time it got or renewed a token; null
   * without one.
   */
  lastUsed: string | null;
  /**
   * The app's last access to the FHIR server that read data; null without one under the present access. Absent where
   * the gateway is off, so that accesses are not recorded.
   */
  lastRead?: string | null;
  /** Number of resources by kind in the visit of the last read, as far as its last requests tell. */
  lastReadKinds?: SeenKinds;
  /** True if that visit happened while the user was not there. */
  lastReadUnattended?: boolean;
  /**
   * Time until which a FHIR server that verifies tokens by itself may still accept the app after revocation; null
   * where none does, since the gateway asks here.
   */
  worksUntil: string | null;
  /** Since when the user has paused the app; null while it can use its access. */
  pausedAt: string | null;
  identityGrantNames: string[];
  /** The scopes of `identityGrantNames`, in the same order. */
  identityScopes: string[];
  apiGrantData: ApiGrant[];
  /** The types of records that the scopes for everything stand for; empty without one. */
  wildcardTypes: string[];
  disclaimers: GrantDisclaimer[];
  legalCompanyName: string | null;
  contactUsUrl: string | null;
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
}

/** `GET /api/grant`. */
export class GrantList {
  clientsPermissions: ClientGrant[];
  generalDisclaimers: GrantDisclaimer[];
}

/** `DELETE /api/grant`; the OAuth client id. */
export class RevokeAppQuery {
  @IsString()
  @MaxLength(200)
  clientId: string;
}

/** `DELETE /api/grant/permission`. */
export class TakeBackPermissionQuery extends RevokeAppQuery {
  /**
   * A scope for seeing and changing one kind of data (`user/Condition.cruds`), for changing it (`.cud`), or for an
   * operation.
   */
  @IsString()
  @MaxLength(2000)
  scope: string;
}

/** `POST /api/grant/resume`. */
export class ResumeAppRequest {
  @IsString()
  @MaxLength(16_384)
  returnUrl: string;
}

/** An agreed disclaimer, as {@link GrantDisclaimer} names it. */
export class DisclaimerReference {
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(200)
  tenantId?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  clientId?: string | null;

  @IsString()
  @MaxLength(100)
  disclaimerId: string;
}

/** `DELETE /api/grant/disclaimer`; all of them or none. */
export class WithdrawDisclaimersRequest {
  @Type(() => DisclaimerReference)
  @ValidateNested({ each: true })
  @ArrayMaxSize(200)
  @ArrayMinSize(1)
  @IsArray()
  disclaimers: DisclaimerReference[];
}
