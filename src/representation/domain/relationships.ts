import type { PatientKey } from './patient-facts.js';
import type { Relationship, RelationshipStatus } from './relationship.js';

/** Notification channel; the payload is a {@link pairKey}. */
export const relationshipsChanged = 'gatehouse_relationships';

/** Names an account and a patient; a FHIR id, a tenant's id and an account's have no blank. */
export function pairKey(account: string, { tenant, patient }: PatientKey): string {
  return `${account} ${tenant ?? ''} ${patient}`;
}

/** Members of a relationship that a change sets. */
export type RelationshipChange = Partial<Omit<Relationship, 'id' | 'accountId' | 'tenant' | SetByStore>>;

type SetByStore = 'suspendedAt' | 'changedAt';

/** It is still right: the next question comes in a year, and one that waited for the answer continues. */
export function renewalOf({ status, reason }: Pick<Relationship, 'status' | 'reason'>, at: Date): RelationshipChange {
  const waits = status === 'suspended' && reason === 'unanswered';
  return { renewedAt: at, ...(waits && { status: 'active', reason: null }) };
}

/** A relationship to store; the store gives it an id and its times. */
export type NewRelationship = Omit<
  Relationship,
  'id' | 'proposedAt' | 'accountId' | 'renewedAt' | 'serverLevel' | SetByStore
> & {
  accountId: string;
};

/** A RelatedPerson or Person that belongs to an account: `{Type}/{id}`. */
export interface OwnReference {
  tenant: string | undefined;
  reference: string;
}

/** Which relationships a list has; texts that are left out name all. */
export interface RelationshipFilter {
  status: RelationshipStatus[];
  /** Reasons of the state; any by default. */
  reasons?: readonly string[] | undefined;
  account?: string | undefined;
  patient?: string | undefined;
  tenant?: string | undefined;
  /** Words of the names. */
  searchTerm: string;
  /** From 1. */
  page: number;
  pageSize: number;
}

/**
 * Each change is one conditional statement, which also notifies all nodes; of two changes at the same time one finds
 * the state that it needs.
 */
export abstract class Relationships {
  /** Stores a relationship. Throws `conflict` if the pair has one that is active, or an open proposal. */
  abstract add(relationship: NewRelationship): Promise<Relationship>;
  abstract findById(id: string): Promise<Relationship | undefined>;
  /** As {@link findById}; no other transaction changes it until the caller's ends. */
  abstract findForChange(id: string): Promise<Relationship | undefined>;
  /** The relationship of a pair that counts: the active or suspended one, else the one that changed last. */
  abstract findCurrent(pair: string): Promise<Relationship | undefined>;
  abstract ofAccount(accountId: string): Promise<Relationship[]>;
  abstract ofPatient(key: PatientKey): Promise<Relationship[]>;
  /**
   * Changes a relationship that has one of these states. Undefined if it has another one, or is not there. Throws
   * `conflict` if another relationship of the pair became active.
   */
  abstract change(
    id: string,
    from: readonly RelationshipStatus[],
    change: RelationshipChange,
  ): Promise<Relationship | undefined>;
  /** True if nothing of it has changed since it was read; it stays so until the transaction ends. */
  abstract lockUnchanged(seen: Relationship): Promise<boolean>;
  /**
   * True if it is active; it stays so until the transaction ends, so that an end finds what the transaction has stored.
   */
  abstract lockActive(id: string): Promise<boolean>;
  /** True if an account that acts or acted for the patient has this address, or had it. */
  abstract hasAddress(key: PatientKey, email: string): Promise<boolean>;
  /** True if an account of a patient for whom this account acts or acted has this address. */
  abstract isAddressOfPatient(accountId: string, email: string): Promise<boolean>;
  /** The RelatedPerson and Person resources of an account, of all tenants. */
  abstract referencesOf(accountId: string): Promise<OwnReference[]>;
  /**
   * Adds the references, and with `isWhole` removes the others of the tenant. Returns one that another account has,
   * and then changes nothing.
   */
  abstract nameReferences(
    accountId: string,
    tenant: string | undefined,
    named: { references: readonly string[]; isWhole: boolean },
  ): Promise<string | undefined>;
  /** How many have each of these states; none of a state that none has. */
  abstract count(status: readonly RelationshipStatus[]): Promise<{ status: RelationshipStatus; count: number }[]>;
  /** False while connected nodes have different rules: then no relationship is decided, and proposals wait. */
  abstract canBeDecided(): Promise<boolean>;
  /**
   * Up to `most` of these states behind an id, in the order of their ids: what changes meanwhile moves no other one.
   * `after` is undefined for the first ones.
   */
  abstract following(
    after: string | undefined,
    status: readonly RelationshipStatus[],
    most: number,
  ): Promise<Relationship[]>;
  /** Newest proposals first. More than `countedMatches` are not counted. */
  abstract list(filter: RelationshipFilter): Promise<{ relationships: Relationship[]; totalCount: number }>;
}
