import { message } from '../../contract/messages/message.js';
import type { relationshipTexts } from '../../contract/messages/relationships.en.js';
import type { RelationshipEnd, RelationshipStatus, Suspension } from '../../contract/representation.js';
import { Problem } from '../../platform/errors.js';
import type { PatientKey } from './patient-facts.js';

export type { RelationshipStatus };

/** The actor of a change: an account, a client of the management API, a file, the portal itself, or the FHIR server. */
export interface Actor {
  kind: 'account' | 'client' | 'file' | 'portal' | 'server';
  /** Account id, client id or name of the file; null for the portal and the FHIR server. */
  id: string | null;
}

export const portal: Actor = { kind: 'portal', id: null };

/** A level above the age table, which two administrators approved, or the patient gave. */
export interface AboveTable {
  /** `from` of the age step that it is for. It ends with the step. */
  step: number;
  /** The last day of it, `YYYY-MM-DD`; null for that of the step. */
  until: string | null;
  /** Id of the level in the place of that of the step; without it the relationship's own level is the only limit. */
  level?: string | undefined;
}

/** One account acts for one patient: on which basis, how far, and from when until when. */
export interface Relationship extends PatientKey {
  id: string;
  /** Null when the account does not exist any more. */
  accountId: string | null;
  /** Ids in the configuration. */
  basis: string;
  level: string;
  /** What the FHIR server gives where another level counts in its place; null for no other one, and before a read. */
  serverLevel: string | null;
  /** Id of a relation word of the basis. */
  relation: string;
  /** First and last day that count, `YYYY-MM-DD` in the tenant's time zone. */
  start: string | null;
  end: string | null;
  status: RelationshipStatus;
  /** Of `suspended` and `ended`. */
  reason: Suspension | RelationshipEnd | null;
  /** As administrators wrote it; only they see it. */
  note: string | null;
  /** True if it was decided although the record had no birth date; it counts until the record has one. */
  withoutBirthDate: boolean;
  aboveTable: AboveTable | null;
  /** `from` of the age steps that the patient agreed to. */
  agreedSteps: number[];
  /** First administrator of a decision that needs two. */
  firstDecider: string | null;
  proposedBy: Actor;
  proposedAt: Date;
  decidedBy: Actor | null;
  decidedAt: Date | null;
  endedBy: Actor | null;
  endedAt: Date | null;
  /** The first time of the present suspension; the store sets it. */
  suspendedAt: Date | null;
  /** Time of the last change, RFC 3339 with microseconds, so that each change has another one; the store sets it. */
  changedAt: string;
  /** The last time at which one without end was confirmed. */
  renewedAt: Date | null;
  /** Names as they were at the last change: pages of an ended relationship read no record. */
  representativeName: string;
  patientName: string;
  /** The FHIR id of the representative's RelatedPerson or Person, if one is known. */
  relatedPerson: string | null;
}

/** States of a pair in which no second relationship of it can become active. */
export const liveStatuses: readonly RelationshipStatus[] = ['active', 'suspended'];
export const openStatuses: readonly RelationshipStatus[] = ['proposed', 'more-needed'];

/** Ends that leave no trace for the representative. */
export function isHidden({ status, reason }: Pick<Relationship, 'status' | 'reason'>): boolean {
  return status === 'ended' && (reason === 'safeguarding' || reason === 'in-error');
}

/** True for a relationship that the FHIR server made. */
export function isOfServer({ proposedBy }: Pick<Relationship, 'proposedBy'>): boolean {
  return proposedBy.kind === 'server';
}

/** The level above which one that the FHIR server made cannot be: that of the server; undefined for any other. */
export function mostOf(
  relationship: Pick<Relationship, 'proposedBy' | 'decidedBy' | 'level' | 'serverLevel'>,
): string | undefined {
  if (!isOfServer(relationship)) return undefined;
  const { decidedBy, level, serverLevel } = relationship;
  return decidedBy?.kind === 'server' ? level : (serverLevel ?? level);
}

/** Keeps who gave another level in a relationship that the FHIR server made: the server does not take that back. */
export function givenBy(
  relationship: Relationship,
  decidedBy: Actor,
): Partial<Pick<Relationship, 'decidedBy' | 'serverLevel'>> {
  return isOfServer(relationship) ? { decidedBy, serverLevel: mostOf(relationship) ?? null } : {};
}

/** True on the days of its period, the last one included. */
export function isInPeriod({ start, end }: Pick<Relationship, 'start' | 'end'>, day: string): boolean {
  return (start === null || start <= day) && (end === null || day <= end);
}

/** A problem of one field of a form. */
export function fieldInvalid(
  field: string,
  code: Exclude<keyof typeof relationshipTexts, 'import-same-pair' | 'representation-level-above-server'>,
): Problem {
  return Problem.invalid([{ field, messages: [message(code)] }]);
}

/** Another relationship of the pair is active or suspended. */
export function pairTaken(): Problem {
  return new Problem('conflict', message('representation-pair-taken'));
}

/** A change that the relationship's state does not have any more, and one that is not there or not the caller's. */
export function relationshipChanged(): Problem {
  return new Problem('conflict', message('representation-changed'));
}

/** Throws `conflict` for an act about a relationship as it was before its last change. */
export function assertSeen({ changedAt }: Pick<Relationship, 'changedAt'>, seenChange: string | undefined): void {
  if (seenChange !== undefined && seenChange !== changedAt) throw relationshipChanged();
}

export function relationshipGone(): Problem {
  return new Problem('not-found', message('representation-gone'));
}
