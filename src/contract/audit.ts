import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsISO8601, IsOptional, IsString, Matches } from 'class-validator';
import type { AccessDetail } from './audit/access-detail.js';
import type { AuditType } from './audit/audit-types.js';
import { type AuditGroup, auditGroups } from './audit/type-groups.js';
import { asList, ExactText, ListQuery, longestFilter, OptionalOrEmpty } from './list-query.js';
import { message } from './messages/message.js';
import type { UserType } from './session.js';

const auditOutcomes = ['success', 'failure'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

const auditFormats = ['csv', 'ndjson'] as const;
export type AuditFormat = (typeof auditFormats)[number];

/** Problems that are kept of a verification, for administrators to read. */
export const mostProblemsKept = 100;

/** The filters of events; they apply together with the search. */
export class AuditFilterQuery extends ListQuery {
  /** The newest first. */
  override sortDirection: ListQuery['sortDirection'] = 1;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => asList(value))
  @IsArray()
  @ArrayMaxSize(auditGroups.length)
  @IsIn([...auditGroups], { each: true })
  group: AuditGroup[] = [];

  @OptionalOrEmpty()
  @IsIn([...auditOutcomes])
  outcome?: AuditOutcome;

  /** The user acted, or was acted on: the id, email address or FHIR record (`Patient/1`) of a user. */
  @ExactText(longestFilter)
  accountId?: string;

  /** Client id; or the name or the record's id of a client that is registered. */
  @ExactText()
  clientId?: string;

  /**
   * Patient whose data was answered or changed: `1`, `Patient/1`, or an address of it below a FHIR base, also of one
   * version.
   */
  @ExactText(longestFilter)
  patient?: string;

  /** Id or name of a tenant. */
  @ExactText()
  tenant?: string;

  /** Resource type of the data. */
  @ExactText()
  kind?: string;

  /** IP address. */
  @ExactText()
  address?: string;

  /** Id of a request. */
  @ExactText()
  correlationId?: string;

  /** Reference of a launch: `NB-7Q4K-2M`. */
  @ExactText(longestFilter)
  launch?: string;

  /** Only what administrators did. */
  @OptionalOrEmpty()
  @IsIn(['true'])
  administrators?: 'true';

  @OptionalOrEmpty()
  @IsISO8601({ strict: true }, { context: message('launch-time-invalid') })
  from?: string;

  @OptionalOrEmpty()
  @IsISO8601({ strict: true }, { context: message('launch-time-invalid') })
  to?: string;
}

const cursor = /^\d{1,14}\.\d{1,18}$/;

/**
 * `GET /api/admin/audit`: the page that follows an event, or the one that precedes it; the first page without either.
 */
export class AuditQuery extends AuditFilterQuery {
  @OptionalOrEmpty()
  @IsString()
  @Matches(cursor)
  after?: string;

  @OptionalOrEmpty()
  @IsString()
  @Matches(cursor)
  before?: string;
}

/** `GET /api/admin/audit/export`. */
export class AuditExportQuery extends AuditFilterQuery {
  @IsIn([...auditFormats])
  format!: AuditFormat;
}

/** An account; its name and type are null if it does not exist any more. */
export interface AuditPerson {
  id: string;
  name: string | null;
  userType: UserType | null;
}

/** A client; its name is null if it is not registered any more. */
export interface AuditClient {
  id: string;
  name: string | null;
  /** For links to it. */
  recordId: string | null;
}

export interface AuditRow {
  /** Number of the entry. */
  id: string;
  /** ISO 8601, with milliseconds. */
  at: string;
  /** Position in the list. */
  cursor: string;
  type: AuditType;
  outcome: AuditOutcome;
  who: AuditPerson | null;
  client: AuditClient | null;
  /** The account that was acted on, unless the user acted on the own one. */
  person: AuditPerson | null;
  /** Any other object of the action, as it is recorded. */
  subject: string | null;
  /** The first patients whose data was accessed. */
  patients: string[];
  patientCount: number;
  interaction: AccessDetail['interaction'] | null;
  /** Resource types that were accessed. */
  kinds: string[];
}

export interface AuditList {
  events: AuditRow[];
  /** At most 1,000; null if counting would take too long. */
  totalCount: number | null;
  hasPrevious: boolean;
  hasNext: boolean;
  /** Name of the user and the client that the list is limited to, if they still exist. */
  personName: string | null;
  clientName: string | null;
}

/** `changed`: the value is not shown. */
export interface AuditChange {
  field: string;
  before: unknown;
  after: unknown;
  isHidden: boolean;
}

export type SealState =
  | { state: 'waiting' }
  | { state: 'sealed' | 'broken'; number: string; hash: string; before: string | null; sealedAt: string }
  /** Its seal is not there. */
  | { state: 'missing' };

/** `GET /api/admin/audit/:id`. */
export interface AuditEventView extends AuditRow {
  address: string | null;
  correlationId: string | null;
  /** Reference of the launch. */
  launch: string | null;
  changes: AuditChange[];
  /** As it is recorded. */
  detail: Record<string, unknown>;
  seal: SealState;
  /** When the seal was checked, which is now. */
  checkedAt: string;
}

export interface AuditVerification {
  startedAt: string;
  /** Null for an administrator who does not exist any more. */
  by: string | null;
  /** `broken-off`: its node has ended; another one begins again soon. */
  state: 'running' | 'broken-off' | 'done';
  doneSeals: number;
  totalSeals: number;
}

/** `GET /api/admin/audit/state`. */
export interface AuditState {
  lastSeal: { number: string; at: string } | null;
  /** The last one that an administrator has started. */
  verification: AuditVerification | null;
  /**
   * The last one that has ended: when, by which administrator (null: by a command), and the problems, as far as they
   * are known.
   */
  lastVerified: { at: string; by: string | null; count: number; problems: string[] } | null;
}
