import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  Min,
} from 'class-validator';
import {
  CalendarDay,
  ListQuery,
  OptionalOrEmpty,
  RequiredLine,
  RequiredText,
  VisibleLine,
  WrittenText,
} from './list-query.js';
import { GivenLevel } from './representation/chosen-kinds.js';
import { KindsForApproval, LevelForApproval } from './representation/levels.js';
import { ChangeChoices } from './requests/changes.js';
import { mostFiles } from './rules/request-files.js';

/**
 * The subject of a request: by a user `act-for` with the form, `change` of a relationship, and `accounting`, the whole
 * list of who has seen a record; the others by the portal.
 */
const requestKinds = ['act-for', 'change', 'accounting', 'patient-ended', 'still-right'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** `cancelled`: taken back by its user; `in-error`: approved, and found to be wrong. */
const requestStatuses = ['waiting', 'more-needed', 'approved', 'declined', 'cancelled', 'in-error'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

/** Days in which a request is answered. */
export const answerDays = 3;
const fhirId = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

/** A file of a request. */
export class RequestFileView {
  id: string;
  /** The content of the file, in the words of the form. */
  label: string;
  /** Name on the user's device. */
  name: string;
  mediaType: string;
  bytes: number;
  /** False once it has been removed. */
  isKept: boolean;
}

/** `POST /api/requests/files`: the file is the body, and its names are in the address. */
export class FileNames {
  @RequiredLine(200)
  name: string;

  @VisibleLine(100)
  label: string = '';
}

/** True if the form must have it; null if the form does not ask for it. */
export class AskedEvidence {
  recordNumber: boolean | null;
  statement: boolean | null;
  files: boolean | null;
}

/** A basis for which users ask the hospital, with its relations. */
export class AskedBasis {
  id: string;
  label: string;
  /** The identifier that is asked for next to name and birth date. */
  evidence: AskedEvidence;
  relations: { id: string; label: string; patient: string }[];
}

/** A request as its user sees it; days are `YYYY-MM-DD`. */
export class OwnRequest {
  id: string;
  reference: string;
  kind: RequestKind;
  status: RequestStatus;
  /** As the user wrote it. */
  patientName: string;
  /** Null in requests of other kinds than `act-for`. */
  birthDate: string | null;
  basis: string | null;
  relation: string | null;
  /** The text for the user: what is needed, or why the answer is no. */
  note: string | null;
  askedAt: string;
  dueAt: string;
  decidedAt: string | null;
  files: RequestFileView[];
}

/** `GET /api/requests`. */
export class OwnRequestList {
  /** Newest first. */
  requests: OwnRequest[];
  bases: AskedBasis[];
}

/** `POST /api/requests`: asks to act for a patient. The answer is the same whatever is entered. */
export class AskRequest {
  /** Id of a basis that is asked for by form. */
  @IsString()
  @MaxLength(64)
  basis: string;

  /** Id of a relation of the basis; the neutral one by default. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  relation?: string;

  @RequiredLine(200)
  patientName: string;

  @CalendarDay()
  birthDate: string;

  @OptionalOrEmpty()
  @VisibleLine(64)
  recordNumber?: string;

  /** In the user's own words. */
  @OptionalOrEmpty()
  @WrittenText(1000)
  statement?: string;

  /** The user says that all of it is true. */
  @IsIn([true])
  isTrue: true;

  /** Ids of files that were sent before. */
  @IsArray()
  @ArrayMaxSize(mostFiles)
  @IsUUID('all', { each: true })
  files: string[];

  /** Id of the tenant, for a user of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** `POST /api/requests/{id}/files`: further files. */
export class AddFilesRequest {
  @IsArray()
  @ArrayMaxSize(mostFiles)
  @IsUUID('all', { each: true })
  files: string[];
}

/** `POST /api/requests/accounting`: asks for the whole list of who has seen the record of a patient. */
export class AskAccountingRequest {
  /** Id of the Patient, without its type. */
  @IsString()
  @Matches(fhirId)
  patient: string;

  /** Id of the tenant, for a user of several. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  tenant?: string;
}

/** `GET /api/admin/requests`. */
export class RequestListQuery extends ListQuery {
  /** Those that wait, the longest wait first, or those that are closed, the newest first. */
  @IsOptional()
  @IsIn(['open', 'closed'])
  show: 'open' | 'closed' = 'open';
}

/** A row of the queue. */
export class RequestRow {
  id: string;
  reference: string;
  kind: RequestKind;
  status: RequestStatus;
  askerName: string;
  patientName: string;
  /** Completed years, by the birth date that the user wrote; null where none is known. */
  age: number | null;
  /** Label of the basis; null where it is not known. */
  basis: string | null;
  askedAt: string;
  dueAt: string;
  /** True if one administrator has approved, and a second one must. */
  awaitsSecond: boolean;
}

export class RequestList {
  requests: RequestRow[];
  totalCount: number;
  /** Open ones whose answer is late. */
  lateCount: number;
  /** Of the last 30 days. */
  decided: { approved: number; declined: number; cancelled: number; usualHours: number | null };
}

/** `GET /api/admin/requests/count`: for the bar of the administrators. */
export class RequestCount {
  open: number;
  late: number;
}

/** One thing that the user wrote, compared with the record. */
export class ComparedItem {
  item: 'record-number' | 'name' | 'birth-date' | 'representative';
  /** `unsaid`: the user did not write it. */
  result: 'fits' | 'differs' | 'missing' | 'unsaid';
  /** As the user wrote it. */
  asked: string | null;
  /** As the record has it, where it differs. */
  inRecord: string | null;
}

/** The record's facts about a request. They are read when the request is opened, and fill nothing in. */
export class RecordComparison {
  /**
   * `fits`; `differs`: a record has the number, and something else does not fit; `none`; `several`; `not-compared`:
   * there were too many requests; `unreachable`: the FHIR server gives no answer.
   */
  result: 'fits' | 'differs' | 'none' | 'several' | 'not-compared' | 'unreachable';
  /** Id of the Patient; null unless the result is `fits` or `differs`. */
  patient: string | null;
  items: ComparedItem[];
  /** Accounts that act for the patient now. */
  acting: number;
  /** True for a record without a birth date that can be used. */
  lacksBirthDate: boolean;
}

/** The choices that may be approved for the record that fits, on this day. */
export class ApprovalChoices {
  bases: {
    id: string;
    label: string;
    relations: { id: string; label: string }[];
    /** False if the age table has no place for it. */
    isPossible: boolean;
    levels: LevelForApproval[];
    /** Kinds in the place of a level; null where none can be chosen. */
    single: KindsForApproval | null;
    /** The next change by the age table; null for none. */
    next: { on: string; age: number } | null;
  }[];
}

export class RequestFileReview extends RequestFileView {
  /** True if the calling administrator has opened it. */
  isOpened: boolean;
}

/** `GET /api/admin/requests/{id}`. */
export class RequestReview extends RequestRow {
  /** Names the state that is seen: a decision repeats it. */
  version: number;
  askerEmail: string | null;
  birthDate: string | null;
  recordNumber: string | null;
  relation: string | null;
  /** In the user's words, or why the portal asks. */
  statement: string | null;
  note: string | null;
  decidedAt: string | null;
  /** Name of the administrator who has decided, or the client. */
  decidedBy: string | null;
  /** Null for questions about a relationship. */
  comparison: RecordComparison | null;
  choices: ApprovalChoices | null;
  /** Of an open request to change a relationship; null for others, and if the relationship has ended. */
  change: ChangeChoices | null;
  files: RequestFileReview[];
  /** The terms of the first of two approvals. */
  firstApproval: {
    by: string;
    isOwn: boolean;
    basis: string;
    /** As it was sent, with its kinds in one order. */
    level: string;
    relation: string;
    end: string | null;
  } | null;
  /** True if the caller is a side of the request, and cannot decide. */
  isOwnCase: boolean;
  /** The relationship that it is about, or that it made. */
  relationshipId: string | null;
  /** After an approval in error, what was seen. */
  seen: SeenAccess[] | null;
}

/** An access to the record of a patient. */
export class SeenAccess {
  at: string;
  clientName: string;
  /** Number of resources by kind. */
  kinds: Record<string, number>;
}

/** `POST /api/admin/requests/{id}/decision`. */
export class DecideRequestRequest {
  /** The version that was seen. */
  @IsInt()
  @Min(0)
  version: number;

  /** `approve`: the relationship begins, or continues; `decline`: it does not begin, or ends. */
  @IsIn(['approve', 'decline', 'more-needed'])
  decision: 'approve' | 'decline' | 'more-needed';

  /** The reason. The user reads it, unless the request is approved. */
  @RequiredText(1000)
  note: string;

  /** Ids of the files that the administrator has opened and seen. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(30)
  @IsUUID('all', { each: true })
  seen?: string[];

  /** Id of the Patient, as the comparison has it. */
  @OptionalOrEmpty()
  @IsString()
  @Matches(fhirId)
  patient?: string;

  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  basis?: string;

  /** Id of a level; with single kinds these stand behind it: `full Appointment Condition`. */
  @OptionalOrEmpty()
  @GivenLevel()
  level?: string;

  @OptionalOrEmpty()
  @IsString()
  @MaxLength(64)
  relation?: string;

  /** The last day that counts; for a change, of a level above the age table. */
  @OptionalOrEmpty()
  @CalendarDay()
  end?: string;

  /** True: the level counts although the age table has a lower one. It needs a second administrator. */
  @IsOptional()
  @IsBoolean()
  exceedsTable?: boolean;

  /** True: approved although the record has no birth date that can be used. */
  @IsOptional()
  @IsBoolean()
  withoutBirthDate?: boolean;

  /** True: approved although one thing does not fit the record. It needs a second administrator. */
  @IsOptional()
  @IsBoolean()
  despiteDifference?: boolean;

  /** A second administrator's proof, where the sign-in is older than five minutes. */
  @OptionalOrEmpty()
  @IsString()
  @MaxLength(1000)
  currentPassword?: string;
}

/** `POST /api/admin/requests/{id}/error`: the approval was wrong. */
export class ApprovedInErrorRequest {
  @IsInt()
  @Min(0)
  version: number;

  @RequiredText(1000)
  note: string;
}
