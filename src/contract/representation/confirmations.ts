import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches, ValidateNested } from 'class-validator';
import { OptionalOrEmpty, RequiredText } from '../list-query.js';
import { type RelationshipEnd, type Suspension, suspensions } from '../representation.js';

const fhirId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

/** A merged record and the one that replaces it, both named by who confirms. */
export class MergedRecord {
  /** Id of the relationship, which is among `relationships`. */
  @IsString()
  relationship: string;

  /** Id of the Patient that replaces the other one. */
  @IsString()
  @Matches(fhirId)
  patient: string;

  /** Id of the Patient that is replaced. */
  @IsString()
  @Matches(fhirId)
  replaced: string;
}

/** A relationship that is suspended because the record of its patient is gone or merged. */
export class SuspendedRecord {
  id: string;
  representativeName: string;
  /** As it was known at the last change. */
  patientName: string;
  tenant: string | null;
  /** Id of the Patient. */
  patient: string;
  reason: Suspension | RelationshipEnd | null;
  suspendedAt: string | null;
  /** True if the FHIR server has the record now, active. */
  isThere: boolean;
  /** The record that replaces it. */
  replacedBy: { patient: string; name: string } | null;
}

/** `GET /api/admin/representation/confirmations`, the latest proposals first. */
export class SuspendedRecords {
  records: SuspendedRecord[];
  totalCount: number;
}

/** `POST /api/admin/representation/confirmations`: suspended relationships continue. */
export class ConfirmRelationshipsRequest {
  /** Their ids. */
  @IsArray()
  @ArrayMaxSize(200)
  @IsString({ each: true })
  relationships: string[];

  /** Those of which the record was merged: each names both records. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(200)
  @ValidateNested({ each: true })
  @Type(() => MergedRecord)
  merged?: MergedRecord[];

  /**
   * Cause of the suspension of all of them, as the administrator has seen it: one that has another cause by now is
   * answered 409.
   */
  @OptionalOrEmpty()
  @IsIn(suspensions)
  reason?: Suspension;

  @RequiredText(1000)
  note: string;
}

/** The result for one of `POST /api/admin/representation/confirmations`. */
export class RelationshipConfirmation {
  id: string;
  /**
   * Status with which the confirmation of this one alone would have been answered; 503 for what is left of a tenant
   * whose FHIR server does not answer.
   */
  status: number;
}

/** The answer of `POST /api/admin/representation/confirmations`. */
export class RelationshipConfirmations {
  results: RelationshipConfirmation[];
}
