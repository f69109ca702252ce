import { message } from '../../contract/messages/message.js';
import type { RequestKind, RequestStatus } from '../../contract/requests.js';
import { Problem } from '../../platform/errors.js';

export type { RequestStatus };

/** The statements of a user who wants to act for a patient. None of them is verified. */
interface AskedRelationship {
  /** Ids in the configuration. */
  basis: string;
  relation: string;
  /** `YYYY-MM-DD`. */
  birthDate: string;
  /** Null if the user did not know it. */
  recordNumber: string | null;
  statement: string | null;
  /** False above the limit of guesses: then nothing is compared with the records. */
  isCompared: boolean;
}

/** A question about a relationship that exists. */
export interface AskedAbout {
  /** In the words of the user, or of the portal; null without one. */
  reason: string | null;
  /** Age in completed years of the coming step that it is about; for a change alone. */
  step?: number;
}

/** The decider: an administrator's account, or a client of the management API. */
interface RequestDecider {
  id: string;
  isService: boolean;
}

/** The terms that an administrator approves. A second administrator approves the same ones, or others as the first. */
export interface ApprovalTerms {
  /** FHIR id of the patient's record. */
  patient: string;
  basis: string;
  level: string;
  relation: string;
  /** Last day, `YYYY-MM-DD`; null without an end. */
  end: string | null;
  /** True if the level counts above the age table. */
  exceedsTable: boolean;
  /** Age of the step that it counts above; null if it does not, and while the step is not known. */
  step: number | null;
  /** True if the record has no birth date that can be used. */
  withoutBirthDate: boolean;
  /** True if one thing that the user wrote does not fit the record. */
  despiteDifference: boolean;
}

interface FirstApproval {
  by: string;
  terms: ApprovalTerms;
}

/** A request of a user to the hospital, or of the portal to its administrators. */
export interface HospitalRequest {
  id: string;
  /** For talking about it: `P-3T8W-6K`. */
  reference: string;
  kind: RequestKind;
  /** The user who asks; null for a question of the portal. */
  accountId: string | null;
  /** The relationship that it is about, or that its approval made. */
  relationshipId: string | null;
  tenant: string | undefined;
  askerName: string;
  /** As the user wrote it, or as the relationship has it. */
  patientName: string;
  content: AskedRelationship | AskedAbout;
  status: RequestStatus;
  /** Counts the changes: who decides names the one that they have seen. */
  version: number;
  /** The text for the user: what is needed, or why the answer is no. */
  note: string | null;
  firstApproval: FirstApproval | null;
  decidedBy: RequestDecider | null;
  decidedAt: Date | null;
  askedAt: Date;
  /** Until when it should be answered. */
  dueAt: Date;
}

export type NewRequest = Omit<
  HospitalRequest,
  'status' | 'version' | 'note' | 'firstApproval' | 'decidedBy' | 'decidedAt' | 'askedAt' | 'dueAt'
>;

/** The content of a request before it is stored. */
export type Asked = Pick<HospitalRequest, 'kind' | 'relationshipId' | 'tenant' | 'patientName' | 'content'>;

/** Members that a change sets. */
export type RequestChange = Partial<
  Pick<
    HospitalRequest,
    'status' | 'note' | 'firstApproval' | 'decidedBy' | 'decidedAt' | 'relationshipId' | 'dueAt' | 'content'
  >
>;

/** The filter and the page of a list of requests. */
export interface RequestFilter {
  isOpen: boolean;
  /** Words of the names and the reference. */
  searchTerm: string;
  /** From 1. */
  page: number;
  pageSize: number;
}

export const openRequests: readonly RequestStatus[] = ['waiting', 'more-needed'];

/** The content of a request to act for a patient; undefined for another kind. */
export function askedRelationshipOf({ kind, content }: Pick<HospitalRequest, 'kind' | 'content'>) {
  return kind === 'act-for' ? (content as AskedRelationship) : undefined;
}

/**
 * True if both ask for the same: one that is sent again after its answer was lost. Whether it is compared with the
 * records depends on a limit, and not on the user.
 */
export function isSameRequest(one: Asked, other: Asked): boolean {
  const asked = ({ kind, relationshipId, tenant, patientName, content }: Asked) => {
    const { isCompared: _, ...written } = content as Partial<AskedRelationship>;
    return JSON.stringify([kind, relationshipId, tenant ?? null, patientName, Object.entries(written).toSorted()]);
  };
  return asked(one) === asked(other);
}

/**
 * Requests and questions. Each change is one conditional statement: of two at the same time one finds the version that
 * it has seen.
 */
export abstract class Requests {
  /** Until the caller's transaction ends, no other one stores or changes what this user asks. */
  abstract lockAsker(accountId: string): Promise<void>;
  /** Stores a request that has to be answered in so many days. */
  abstract add(request: NewRequest, days: number): Promise<HospitalRequest>;
  /** As {@link add}; does nothing while the same question is open. */
  abstract addQuestion(request: NewRequest, days: number): Promise<HospitalRequest | undefined>;
  abstract findById(id: string): Promise<HospitalRequest | undefined>;
  /** Newest first. */
  abstract ofAccount(accountId: string): Promise<HospitalRequest[]>;
  /** The queue: those that are open, the one that is due first; or those that are closed, the newest answer first. */
  abstract list(filter: RequestFilter): Promise<{ requests: HospitalRequest[]; totalCount: number }>;
  abstract count(): Promise<{ open: number; late: number }>;
  /** Answers of the last 30 days. */
  abstract decided(): Promise<{ approved: number; declined: number; cancelled: number; usualHours: number | null }>;
  abstract countOpen(accountId: string): Promise<number>;
  /**
   * Removes at most so many of those that were closed longer ago, with their files: one year, and ten for those that
   * were approved. Returns their number.
   */
  abstract purge(most: number): Promise<number>;
  /** Undefined if it has another state or version, or is not there. */
  abstract change(
    id: string,
    from: { status: readonly RequestStatus[]; version?: number | undefined },
    change: RequestChange,
  ): Promise<HospitalRequest | undefined>;
}

/** Someone else has decided, or the user has changed it. */
export function requestChanged(): Problem {
  return new Problem('conflict', message('request-changed'));
}

export function requestGone(): Problem {
  return new Problem('not-found', message('request-gone'));
}

/** True if both approve the same: the second of two administrators approves what the first has approved. */
export function isSameApproval(one: ApprovalTerms, other: ApprovalTerms): boolean {
  const names = Object.keys(one) as (keyof ApprovalTerms)[];
  return names.every((name) => one[name] === other[name]);
}

export const referenceLength = 6;

/** The reference of these random letters, such as `P-3T8W-6K`, by which a user and an administrator name a request. */
export function referenceOf(letters: string): string {
  return `P-${letters.slice(0, 4)}-${letters.slice(4)}`;
}
