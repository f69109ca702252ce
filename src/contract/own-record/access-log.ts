import { IsIn, IsISO8601, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { Interaction, PatientSource, SeenKinds } from '../audit/access-detail.js';
import { ExactText, OptionalOrEmpty } from '../list-query.js';

/** `asked`: nothing was answered. */
export type AccessVerb = 'saw' | 'added' | 'changed' | 'deleted' | 'asked';

/**
 * `app`: the patient with an app; `representative`: a user who acts for the patient, with an app; `person`: another
 * user, with an app; `service`: an app without a user.
 */
const accessors = ['app', 'representative', 'person', 'service'] as const;
export type Accessor = (typeof accessors)[number];

/** Entries of one page of the log, and single requests of one visit. */
export const entriesPerPage = 20;
export const requestsPerPage = 50;

/** A moment as `Date.toISOString` writes it. */
const moment = /^20\d\d-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/;
/** Milliseconds since 1970, and the id of an event. */
const place = /^[12]\d{12}_\d{1,18}$/;

/** The filters of the log; the patient is always the signed-in one. */
export class AccessLogFilter {
  @OptionalOrEmpty()
  @IsIn(['family', 'apps', 'staff', 'refused'])
  show?: 'family' | 'apps' | 'staff' | 'refused';

  /**
   * `Patient/{id}` for whom the user acts or acted: the user's own accesses to that record, and no others. The user's
   * own record without.
   */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(80)
  patient?: string;

  /** Id of the tenant of `patient`, where the user acts for patients of several with the same id. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;

  @ExactText()
  clientId?: string;

  @ExactText(100)
  personId?: string;

  /** A type, with all of its categories, or `Type/category`. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(/^(?:\*|[A-Z][A-Za-z]{0,63}(?:\/[a-z-]{1,63})?)$/)
  kind?: string;

  @OptionalOrEmpty()
  @IsISO8601({ strict: true })
  @Matches(moment)
  from?: string;

  @OptionalOrEmpty()
  @IsISO8601({ strict: true })
  @Matches(moment)
  to?: string;

  /** Name of the reader's time zone (IANA), at whose midnights visits end. An unknown one counts as UTC. */
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9_+/-]{1,64}$/)
  timeZone: string = 'UTC';
}

/** `GET /api/user/access-log`. */
export class AccessLogQuery extends AccessLogFilter {
  /** `next` of the page before. */
  @OptionalOrEmpty()
  @Matches(place)
  before?: string;
}

/** `GET /api/user/access-log/visit`: one entry of the log, as it names itself. */
export class VisitQuery {
  @IsIn([...accessors])
  by: Accessor;

  @ExactText()
  clientId?: string;

  @ExactText(100)
  personId?: string;

  @ExactText()
  exportId?: string;

  /** As in the filters of the log. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(80)
  patient?: string;

  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;

  @IsISO8601({ strict: true })
  @Matches(moment)
  start: string;

  @IsISO8601({ strict: true })
  @Matches(moment)
  end: string;

  /** `next` of the requests before. */
  @OptionalOrEmpty()
  @Matches(place)
  after?: string;
}

/** `GET /api/user/access-log/export`. */
export class AccessLogExportQuery extends AccessLogFilter {
  @IsIn(['csv', 'fhir'])
  format: 'csv' | 'fhir';

  /** The language of a table: before those of `Accept-Language`, as on pages (OpenID Connect Core §3.1.2.1). */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  ui_locales?: string;
}

/** An app or a person of the log; without a name if it is not registered any more. */
export interface NamedAccessor {
  id: string;
  name: string | null;
}

/** Accesses of one person with one app on one day, without a pause of ten minutes. */
export interface Visit {
  type: 'visit';
  /** Id of the first access. */
  id: string;
  /** ISO 8601; the first and the last access. */
  start: string;
  end: string;
  by: Accessor;
  app: NamedAccessor | null;
  /** Null for the patient and for a service. */
  person: NamedAccessor | null;
  /** The relation of a user who acted for the patient, such as `mother`. */
  relation?: string;
  requests: number;
  /** Requests that were refused, and those that were not answered for another reason. */
  refused: number;
  failed: number;
  /** Number of resources by kind; 0 where it is not known. */
  did: Partial<Record<AccessVerb, SeenKinds>>;
  /** Identifies the bulk export that this is a part of. */
  exportId: string | null;
  /** All of it happened while the user was not there. */
  unattended: boolean;
  /** An administrator tried the app, which got none of it. */
  trial: boolean;
  /** The reference of the launch. */
  reference: string | null;
}

/**
 * The patient, or an administrator, ended the access of an app; the patient took back a permission, paused or resumed
 * it.
 */
interface TakenBack {
  type: 'taken-back';
  what: 'access' | 'permission' | 'paused' | 'resumed';
  id: string;
  /** ISO 8601. */
  start: string;
  app: NamedAccessor | null;
  /** True if the patient did. */
  byPatient: boolean;
  /** Null for an end that earlier versions recorded. */
  receiptId: string | null;
}

/** A decision about who acts for the patient. */
export interface RelationshipDecision {
  type: 'decision';
  /** `confirmed`: it continues; `agreement`: the patient's agreement was recorded for the patient. */
  what: 'approved' | 'declined' | 'ended' | 'level' | 'confirmed' | 'agreement';
  /** The role of who decided, never a name; `portal`: the day, the age, or the record. */
  by: 'administrator' | 'patient' | 'representative' | 'portal';
  id: string;
  /** ISO 8601. */
  start: string;
  /** The user who acts for the patient; without an id, because the account may be gone. */
  representative: string;
  /** That user's relation to the patient, such as `mother`. */
  relation: string;
  /** Label of the level, where one was given. */
  level: string | null;
  /** The kinds that were chosen of it; left out for a whole level. */
  levelKinds?: string[];
  /** Id of the relationship: its end has a page. */
  relationship: string;
}

export type AccessLogEntry = Visit | TakenBack | RelationshipDecision;

export interface AccessLogPage {
  entries: AccessLogEntry[];
  /** For `before` of the next page; null on the last one. */
  next: string | null;
  /** E-mail address or https page for what looks odd. */
  reportAddress: string | null;
}

/** `GET /api/user/access-log/summary`. */
export interface AccessLogSummary {
  /** Visits in which something was answered. */
  visits: number;
  /** Visits in which something was refused. */
  refused: number;
  /** Visits of users who acted for the patient; absent if there is none. */
  family?: number;
  apps: NamedAccessor[];
  people: NamedAccessor[];
  kinds: string[];
}

/** The reason why an access was possible, as far as it is known. */
export type AccessReason =
  /** `days`: for how long; null if it is not limited or not known any more. */
  | { kind: 'allowed'; at: string; days: number | null }
  /**
   * A user acted for the patient. `levelKinds`: the kinds that were chosen of the level; `end`: the last day of it,
   * `YYYY-MM-DD`; `at`: when the user allowed the app, null where that is not known.
   */
  | {
      kind: 'represented';
      name: string;
      basis: string;
      level: string;
      levelKinds?: string[];
      end: string | null;
      at: string | null;
    }
  /** The app asks for no consent. */
  | { kind: 'not-asked' }
  /** With `source` if this patient was in the context of the app in each of the visit's requests. */
  | { kind: 'staff'; source?: PatientSource }
  | { kind: 'service' }
  | { kind: 'unknown' };

export interface VisitRequest {
  id: string;
  at: string;
  verb: AccessVerb;
  interaction: Interaction | null;
  kinds: SeenKinds;
  /** Status of the answer (HTTP). */
  status: number;
}

export interface VisitRequests {
  reason: AccessReason;
  requests: VisitRequest[];
  next: string | null;
}
