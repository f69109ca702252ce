import type { AuditType } from '../../contract/audit/audit-types.js';
import type { AuditOutcome } from '../../contract/audit.js';
import type { UserType } from '../../contract/session.js';

/** An event of the record, with the names of its account and client as they are now. */
export interface RecordedEvent {
  /** A 64-bit integer. */
  id: string;
  at: Date;
  type: AuditType;
  outcome: AuditOutcome;
  userId: string | null;
  userName: string | null;
  userType: UserType | null;
  clientId: string | null;
  clientName: string | null;
  clientRecordId: string | null;
  subject: string | null;
  /** The name of the account that is the subject. */
  subjectName: string | null;
  subjectType: UserType | null;
  address: string | null;
  correlationId: string | null;
  detail: Record<string, unknown>;
}

/** The filters of a list; undefined members limit nothing. */
export interface EventFilter {
  types: readonly AuditType[] | undefined;
  outcome: AuditOutcome | undefined;
  accountId: string | undefined;
  clientId: string | undefined;
  patient: string | undefined;
  /** Null for the base without a tenant. */
  tenant: string | null | undefined;
  /** In any case of its letters. */
  kind: string | undefined;
  /** All spellings of one address. */
  addresses: readonly string[] | undefined;
  correlationId: string | undefined;
  /** Beginning of the id of a launch. */
  launch: string | undefined;
  administrators: boolean;
  from: Date | undefined;
  to: Date | undefined;
  /** Events of any of these. */
  anyOf: SearchedFor | undefined;
}

/** The meanings that the words of a search can have. */
export interface SearchedFor {
  entry: string | undefined;
  launch: string | undefined;
  clientIds: readonly string[];
  /** Accounts, and records of clients. */
  objects: readonly string[];
}

/** Place of an event in the order of the record. */
export interface Position {
  at: Date;
  id: string;
}

export interface EventPage {
  newestFirst: boolean;
  length: number;
  after: Position | undefined;
}

/** The audit record as administrators read it. */
export abstract class AuditRecord {
  /** Throws `invalid` when it takes too long. */
  abstract page(filter: EventFilter, page: EventPage): Promise<RecordedEvent[]>;
  /** The number of events, counted up to `most`; null if that takes too long. */
  abstract count(filter: EventFilter, most: number): Promise<number | null>;
  abstract findById(id: string): Promise<RecordedEvent | undefined>;
  /** Names of an account and a client that exist. */
  abstract names(
    accountId: string | undefined,
    clientId: string | undefined,
  ): Promise<{ person?: string; client?: string }>;
  /** Ids of administrators whose name or address has all words of the search. */
  abstract administratorsNamed(searchTerm: string, most: number): Promise<string[]>;
  /** True if the record has a recent reading of this by this person. */
  abstract wasReadBy(userId: string, what: object): Promise<boolean>;
}
