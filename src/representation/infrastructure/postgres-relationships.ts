import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Database, isUniqueViolation, sqlState } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { pairTaken, type Relationship, type RelationshipStatus } from '../domain/relationship.js';
import {
  type NewRelationship,
  pairKey,
  type RelationshipChange,
  Relationships,
  relationshipsChanged,
} from '../domain/relationships.js';

/** The columns by member; the others of a relationship are its key. */
const columns = {
  basis: 'basis',
  level: 'level',
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
} as const satisfies Record<keyof RelationshipChange, string>;

type Member = keyof typeof columns;

/** Days are read as texts: the driver would make them times of its own zone. */
const selected = [
  'id, account_id AS "accountId", nullif(tenant, \'\') AS tenant, patient',
  ...Object.entries(columns).map(([member, column]) =>
    column.endsWith('_on') ? `to_char(${column}, 'YYYY-MM-DD') AS "${member}"` : `${column} AS "${member}"`,
  ),
].join(', ');
const json: ReadonlySet<Member> = new Set(['aboveTable', 'proposedBy', 'decidedBy', 'endedBy']);
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Row = Omit<Relationship, 'tenant'> & { tenant: string | null };

@Injectable()
export class PostgresRelationships extends Relationships {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    super();
  }

  async add({ accountId, tenant, patient, ...rest }: NewRelationship): Promise<Relationship> {
    const members = Object.keys(rest) as (keyof typeof rest)[];
    const names = ['account_id', 'tenant', 'patient', ...members.map((member) => columns[member])];
    const values = [accountId, tenant ?? '', patient, ...members.map((member) => stored(member, rest[member]))];
    const [row] = await this.changed(
      `INSERT INTO representation_relationship (${names.join(', ')})
       VALUES (${values.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING ${selected}`,
      values,
    );
    if (!row) throw new Error('the relationship was not stored');
    return row;
  }

  async findById(id: string): Promise<Relationship | undefined> {
    return uuid.test(id) ? (await this.find('id = $1', [id]))[0] : undefined;
  }

  async findCurrent(pair: string): Promise<Relationship | undefined> {
    const [found] = await this.find(
      `account_id = $1 AND tenant = $2 AND patient = $3
       ORDER BY status IN ('active', 'suspended') DESC, changed_at DESC LIMIT 1`,
      pair.split(' '),
    );
    return found;
  }

  ofAccount(accountId: string): Promise<Relationship[]> {
    return this.find('account_id = $1 ORDER BY patient_name, id', [accountId]);
  }

  ofPatient({ tenant, patient }: PatientKey): Promise<Relationship[]> {
    return this.find('tenant = $1 AND patient = $2 ORDER BY representative_name, id', [tenant ?? '', patient]);
  }

  async change(
    id: string,
    from: readonly RelationshipStatus[],
    change: RelationshipChange,
  ): Promise<Relationship | undefined> {
    const members = Object.keys(change) as Member[];
    const set = members.map((member, index) => `${columns[member]} = $${index + 3}`);
    const [row] = await this.changed(
      `UPDATE representation_relationship SET ${[...set, 'changed_at = clock_timestamp()'].join(', ')}
        WHERE id = $1 AND status = ANY ($2) RETURNING ${selected}`,
      [id, from, ...members.map((member) => stored(member, change[member]))],
    );
    return row;
  }

  private async changed(sql: string, parameters: unknown[]): Promise<Relationship[]> {
    try {
      const { rows } = await this.database.query<Row>(sql, parameters);
      for (const row of rows) {
        if (row.accountId !== null)
          await this.notifications.send(relationshipsChanged, pairKey(row.accountId, keyOf(row)));
      }
      return rows.map(relationshipOf);
    } catch (error) {
      if (isUniqueViolation(error)) throw pairTaken();
      // The account was deleted meanwhile.
      if (sqlState(error) === '23503') throw new Problem('not-found', message('user-gone'));
      throw error;
    }
  }

  private async find(condition: string, parameters: unknown[]): Promise<Relationship[]> {
    const { rows } = await this.database.query<Row>(
      `SELECT ${selected} FROM representation_relationship WHERE ${condition}`,
      parameters,
    );
    return rows.map(relationshipOf);
  }
}

function keyOf({ tenant, patient }: Row): PatientKey {
  return { tenant: tenant ?? undefined, patient };
}

function relationshipOf(row: Row): Relationship {
  return { ...row, ...keyOf(row) };
}

function stored(member: Member, value: unknown): unknown {
  return json.has(member) && value !== null ? JSON.stringify(value) : value;
}
