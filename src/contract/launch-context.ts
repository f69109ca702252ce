import { IsOptional, IsString, MaxLength } from 'class-validator';
import { Printable } from './list-query.js';

/** The way in which the user acts for the patient of an app's request. */
export class ActingFor {
  /** The patient's relation to the user, such as `child`. */
  relation: string;
  /** Name of the basis, such as 'Parental responsibility'. */
  basis: string;
  /** Names of the levels that limit what is seen; that of full access where none does. */
  levels: string[];
  /** Id of the relationship. */
  relationship: string;
  /** The earliest day on which an age changes it, `YYYY-MM-DD`, if it lies in the next 30 days; else null. */
  changesOn: string | null;
}

/** The patient whom an app's request is about, as its pages name them. */
export class PatientInContext {
  /** The row id, `Patient/{id}`. */
  id: string;
  /** Never empty: a patient without a name is named by the record number. */
  name: string;
  /** As FHIR writes dates: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; null when the record has none. */
  birthDate: string | null;
  recordNumber: string | null;
  /**
   * True if the user chose the patient in this request, and can choose another one; false if the EHR named the patient.
   */
  canChange: boolean;
  /** Present if the user acts for the patient. */
  acting?: ActingFor;
}

/** The way in which the user may act for a patient who can be chosen. */
export class ForWhom {
  name: string;
  /** The patient's relation to the user, such as `child`; null for the user's own record. */
  relation: string | null;
  /** As FHIR writes dates; null when it is not known. */
  birthDate: string | null;
  /** The levels that must all permit; empty for the own record. */
  levels: { id: string; label: string }[];
  /**
   * The kinds that the levels name together, by their rule alone, as they are configured; null for the own record, and
   * where the levels permit everything but what is kept private.
   */
  kinds: string[] | null;
  /** The last day of it, `YYYY-MM-DD`. */
  end: string | null;
  /**
   * The next change by age, on the earliest possible day (`YYYY-MM-DD`): less is seen, it ends, or it needs the
   * patient's agreement; null for nothing, and where the age is not known.
   */
  next: { on: string; ends: boolean; needsAgreement: boolean } | null;
  /** False if the levels give nothing of what the app asks for: the row cannot be chosen. */
  selectable: boolean;
}

/** A resource that can be chosen. */
export class LaunchContextRow {
  /** `{Type}/{id}`, so that ids of different kinds cannot be taken for each other. */
  id: string;
  /** The values of the columns, by the column's name; dates are ISO 8601. */
  properties: Record<string, string>;
  /** Present for each Patient where the user acts for others. */
  forWhom?: ForWhom;
}

/** One step of the launch-context page (`spec §3` Launch-context step). */
export class LaunchContextKind {
  /** The resource type. */
  name: string;
  columns: string[];
  data: LaunchContextRow[];
  /** Parameter `page` of the next request, when there are more than `data` holds. */
  next: string | null;
  /**
   * True if the FHIR server named a further page at an address that is not known to be its own, so that there may be
   * more.
   */
  isCut: boolean;
  /** True if it can be requested with a `searchTerm`. */
  searchable: boolean;
  /** True if the choices here depend on the patient chosen before: to be requested again with `patient`. */
  ofPatient: boolean;
  /** Present if the EHR named the only row, which can be confirmed and not changed. */
  isFixed?: true;
  /** Present if records of patients for whom the user may act cannot be read now, so that these are not listed. */
  isUnread?: true;
}

/** The query parameters of `GET /api/launch-context`. */
export class LaunchContextQuery {
  /** Without it this browser's only pending request is used. */
  @IsOptional()
  @IsString()
  returnUrl?: string;

  /** Row id of a patient who was offered: the candidates that belong to that patient are requested. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  patient?: string;

  /** One of the kinds, by its name; all of them without. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  kind?: string;

  /** Words that have to be found: of names, dates as YYYY-MM-DD, numbers. Needs `kind`. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  @Printable()
  searchTerm?: string;

  /** `next` of the page before. Needs `kind`. */
  @IsOptional()
  @IsString()
  @MaxLength(8_000)
  page?: string;
}

/** The answer of `GET /api/launch-context`. */
export class LaunchContextRequest {
  clientName: string;
  /** Number of the first page of the step in the authorization, from 1. */
  step: number;
  /** The patient whose resources these are; null when the user is that patient, and when none is chosen. */
  patient: PatientInContext | null;
  /** Row ids of an earlier choice in this request, which the user may replace while the app has no answer. */
  chosen: string[];
  /** The kinds in the order in which they are to be chosen. */
  resourceData: LaunchContextKind[];
}

/** `POST /api/launch-context?returnUrl=…` with a JSON array of row ids, at most one of each kind: what was chosen. */
export class LaunchContextResult {
  resourceData: Pick<LaunchContextKind, 'name' | 'columns' | 'data'>[];
}

/** `POST /connect/launchContext`: the value that the EHR passes to the app as `launch`. */
export class EhrLaunchAnswer {
  launchContextIdentifier: string;
}
