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
  /** Present where the user acts for this patient: each patient has a card. */
  patient?: GrantedPatient;
  legalCompanyName: string | null;
  contactUsUrl: string | null;
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
}

/** The patient for whom the user let the app in, where the user acts for others. */
export class GrantedPatient {
  /** `Patient/{id}`. */
  reference: string;
  /** Id of the tenant; null for the FHIR base of no tenant. */
  tenant: string | null;
  name: string;
}

/** The query of `GET /api/grant`. */
export class GrantListQuery {
  /** `Patient/{id}`: only the apps that have access to this patient: one for whom the user acts, or the user. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(80)
  patient?: string;

  /** Id of the tenant of the patient, where the user acts for patients of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** `GET /api/grant`. */
export class GrantList {
  clientsPermissions: ClientGrant[];
  generalDisclaimers: GrantDisclaimer[];
}

/** The OAuth client id. */
export class AppQuery {
  @IsString()
  @MaxLength(200)
  clientId: string;
}

/** An app's access to the user's own record, or to that of a patient for whom the user acts. */
export class AppOfPatientQuery extends AppQuery {
  /** `Patient/{id}` for whom the user acts; that of the user's own record, or none, means the user's own. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(80)
  patient?: string;

  /** Id of the tenant of the patient, where the user acts for patients of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** `DELETE /api/grant/permission`. */
export class TakeBackPermissionQuery extends AppOfPatientQuery {
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
