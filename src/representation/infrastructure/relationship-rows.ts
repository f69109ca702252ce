import type { PatientKey } from '../domain/patient-facts.js';
import type { Relationship } from '../domain/relationship.js';
import type { RelationshipChange } from '../domain/relationships.js';

/** The columns by member; the others of a relationship are its key. */
export const columns = {
  patient: 'patient',
  basis: 'basis',
  level: 'level',
  serverLevel: 'server_level',
  relation: 'relation',
  start: 'starts_on',
  end: 'ends_on',
  status: 'status',
  reason: 'reason',
  note: 'note',
  withoutBirthDate: 'without_birth_date',
  aboveTable: 'above_table',
  agreedSteps: 'agreed_steps',
  firstDecider: 'first_decider',
  proposedBy: 'proposed_by',
  proposedAt: 'proposed_at',
  decidedBy: 'decided_by',
  decidedAt: 'decided_at',
  endedBy: 'ended_by',
  endedAt: 'ended_at',
  representativeName: 'representative_name',
  patientName: 'patient_name',
  relatedPerson: 'related_person',
  renewedAt: 'renewed_at',
} as const satisfies Record<keyof RelationshipChange, string>;

export type Member = keyof typeof columns;

/** Days are read as texts: the driver would make them times of its own zone. So is a time that keeps microseconds. */
export const selected = [
  'id, account_id AS "accountId", nullif(tenant, \'\') AS tenant, suspended_at AS "suspendedAt"',
  `to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "changedAt"`,
  ...Object.entries(columns).map(([member, column]) =>
    column.endsWith('_on') ? `to_char(${column}, 'YYYY-MM-DD') AS "${member}"` : `${column} AS "${member}"`,
  ),
].join(', ');
const json: ReadonlySet<Member> = new Set(['aboveTable', 'proposedBy', 'decidedBy', 'endedBy']);
export const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export type Row = Omit<Relationship, 'tenant'> & { tenant: string | null };

export function keyOf({ tenant, patient }: Row): PatientKey {
  return { tenant: tenant ?? undefined, patient };
}

export function relationshipOf(row: Row): Relationship {
  return { ...row, ...keyOf(row) };
}

export function stored(member: Member, value: unknown): unknown {
  return json.has(member) && value !== null ? JSON.stringify(value) : value;
}
