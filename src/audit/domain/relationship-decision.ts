import type { RelationshipDecision } from '../../contract/own-record/access-log.js';

/** An event of the record that decided about who acts for a patient. */
export interface FoundDecision {
  id: string;
  at: Date;
  /** Id of the relationship. */
  relationship: string;
  type: 'representation.decided' | 'representation.changed' | 'representation.ended';
  /** Account id of the acting user; null for the portal, a file and the FHIR server. */
  userId: string | null;
  decision: string | null;
  status: string | null;
  reason: string | null;
  by: string | null;
  /** Id of the level that was given. */
  level: string | null;
}

/** Ends that follow from the day, the record, or an account that is gone. */
const endsByItself: ReadonlySet<string | null> = new Set([
  ...['period', 'age', 'unanswered', 'representative-gone', 'server'],
]);
const changes = { level: 'level', confirm: 'confirmed', agreement: 'agreement' } as const;

/** The decision, and the role of the decider: the patient is never told the name of an administrator. */
export function decisionOf(found: FoundDecision, patientAccount: string): Pick<RelationshipDecision, 'what' | 'by'> {
  const { type, decision, status, by } = found;
  if (type === 'representation.ended') return { what: 'ended', by: enderOf(found, patientAccount) };
  if (type === 'representation.changed') {
    const what = changes[(decision ?? 'level') as keyof typeof changes];
    return { what, by: by === 'patient' ? 'patient' : 'administrator' };
  }
  if (by === 'server') return { what: 'approved', by: 'portal' };
  // Without a decision of the hospital: the user has accepted the patient's invitation.
  if (decision === null) return { what: 'approved', by: 'representative' };
  return { what: status === 'declined' ? 'declined' : 'approved', by: 'administrator' };
}

function enderOf({ reason, userId }: FoundDecision, patientAccount: string): RelationshipDecision['by'] {
  if (reason === 'representative') return 'representative';
  // After the patient's end of a power of attorney, administrators decide.
  if (reason === 'patient') return userId === patientAccount ? 'patient' : 'administrator';
  const isByItself = endsByItself.has(reason) || (reason === 'deceased' && userId === null);
  return isByItself ? 'portal' : 'administrator';
}
