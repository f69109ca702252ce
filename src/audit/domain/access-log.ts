import type { AccessDetail, PatientSource, SeenKinds } from '../../contract/audit/access-detail.js';
import type { Accessor, AccessVerb, Visit, VisitRequest } from '../../contract/own-record/access-log.js';
import type { FoundDecision } from './relationship-decision.js';

/** The patient of a log: an account and its record in the FHIR servers that it belongs to. */
export interface LogPatient {
  accountId: string;
  /** Id of the record. */
  patient: string;
  /** Null for the FHIR server without a tenant. */
  tenants: readonly (string | null)[];
  /** True if the patient is too young to see what users did who act for the patient. */
  hidesRepresentatives?: boolean;
  /** The relationships by which the reader acts or acted: only the reader's own accesses by them are shown. */
  onlyBy?: readonly string[];
}

/** The filters of a log; undefined members limit nothing. */
export interface LogFilter {
  show?: 'family' | 'apps' | 'staff' | 'refused' | undefined;
  clientId?: string | undefined;
  personId?: string | undefined;
  kind?: string | undefined;
}

/** A time of whole days: their beginnings, the earliest first, and the end of the last one. */
export interface LogDays {
  begins: readonly Date[];
  end: Date;
}

/** A place in the order of a log. */
export interface LogPlace {
  at: Date;
  id: string;
}

export interface FoundVisit
  extends Pick<Visit, 'id' | 'requests' | 'refused' | 'failed' | 'did' | 'exportId' | 'unattended' | 'trial'> {
  start: Date;
  end: Date;
  by: Accessor;
  clientId: string | null;
  /** Null for the patient and for a service. */
  personId: string | null;
  /** Id of the relationship by which the user acted for the patient. */
  representation: string | null;
  /** Id of the last launch. */
  launch: string | null;
}

export interface FoundSummary {
  visits: number;
  family: number;
  refused: number;
  clientIds: string[];
  personIds: string[];
  kinds: string[];
}

export interface FoundEnd {
  id: string;
  at: Date;
  type: 'app.revoked' | 'permission.revoked' | 'app.paused' | 'app.resumed';
  clientId: string | null;
  byPatient: boolean;
  receiptId: string | null;
}

/** The subject of a consent. */
export interface Consented {
  accountId: string;
  clientId: string;
  /** Id of the relationship by which the user acted for a patient. */
  representation?: string | undefined;
}

/** Names a visit. */
export interface VisitKey {
  by: Accessor;
  clientId?: string | undefined;
  personId?: string | undefined;
  exportId?: string | undefined;
  start: Date;
  end: Date;
}

export interface FoundRequest extends Omit<VisitRequest, 'at'> {
  at: Date;
}

/** One event as an export has it. */
export interface ExportedAccess {
  id: string;
  /** Id of the record that the log is about. */
  patient: string;
  recordedAt: Date;
  by: Accessor;
  userId: string | null;
  clientId: string | null;
  correlationId: string | null;
  detail: AccessDetail;
  verb: AccessVerb;
  kinds: SeenKinds;
}

/** The accesses to a patient's record, as the audit record has them. */
export abstract class AccessLog {
  /** The visits of these days that began before a place in the list, the latest first. */
  abstract visits(
    of: LogPatient,
    filter: LogFilter,
    days: LogDays,
    wanted: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundVisit[]>;
  abstract summary(of: LogPatient, filter: LogFilter, days: LogDays): Promise<FoundSummary>;
  /** The accesses of apps that were taken back in these days, the latest first. */
  abstract endedAccesses(
    of: LogPatient,
    clientId: string | undefined,
    days: LogDays,
    wanted: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundEnd[]>;
  /** Decisions about these relationships in these days, the latest first. */
  abstract decisions(
    relationships: readonly string[],
    days: LogDays,
    wanted: { before?: LogPlace | undefined; length: number },
  ): Promise<FoundDecision[]>;
  /** The requests of a visit after a place in it, the earliest first. */
  abstract requests(
    of: LogPatient,
    visit: VisitKey,
    wanted: { after?: LogPlace | undefined; length: number },
  ): Promise<FoundRequest[]>;
  /**
   * The way in which this patient came into the context of the app of a visit; undefined unless all requests of the
   * visit have the same source.
   */
  abstract patientSource(of: LogPatient, visit: VisitKey): Promise<PatientSource | undefined>;
  /** Ids of the events of these days, the latest first. */
  abstract eventIds(of: LogPatient, filter: LogFilter, days: LogDays): Promise<string[]>;
  /** These events in the order of the ids; they are of these days. */
  abstract events(of: LogPatient, ids: readonly string[], days: LogDays): Promise<ExportedAccess[]>;
  /** Time of the oldest event of the whole record. */
  abstract oldest(): Promise<Date | undefined>;
  /** Time of the last consent of a user to an app before this. */
  abstract lastConsent(consented: Consented, before: Date): Promise<Date | undefined>;
  /** Id of the relationship by which a visit was made; undefined for any other visit. */
  abstract representation(of: LogPatient, visit: VisitKey): Promise<string | undefined>;
}
