import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type DueRelationship, DueRelationships, type Looked } from '../domain/due-relationships.js';
import { type Row, relationshipOf, selected } from './relationship-rows.js';

const withoutRelationship =
  'NOT EXISTS (SELECT FROM representation_relationship WHERE tenant = one.tenant AND patient = one.patient)';
const unused = (time: string) =>
  `(${time} IS NULL OR ${time} < $1::timestamptz - interval '30 days') AND ${withoutRelationship}`;
/** Tables with the condition of the rows that are too old at a time. */
const old = {
  representation_relationship: `
    (status = 'ended' AND ended_at < $1::timestamptz - interval '10 years'
      OR status IN ('declined', 'cancelled', 'expired') AND changed_at < $1::timestamptz - interval '1 year')
    AND NOT EXISTS (SELECT FROM representation_block WHERE relationship_id = one.id)`,
  representative_address: unused('kept_at'),
  represented_patient: unused('read_at'),
};
const live = "status IN ('active', 'suspended')";

@Injectable()
export class PostgresDueRelationships extends DueRelationships {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(at: Date, limit: number): Promise<DueRelationship[]> {
    const claimedUntil = new Date(at.getTime() + 3_600_000);
    const { rows } = await this.database.query<Row & { looked: Looked | null }>(
      `UPDATE representation_relationship SET due_at = $2
        WHERE id IN (SELECT id FROM representation_relationship
                      WHERE ${live} AND (due_at IS NULL OR due_at <= $1 OR account_id IS NULL)
                      ORDER BY due_at NULLS FIRST LIMIT $3 FOR UPDATE SKIP LOCKED)
        RETURNING ${selected}, looked`,
      [at, claimedUntil, limit],
    );
    return rows.map(({ looked, ...row }) => ({ relationship: relationshipOf(row), looked, claimedUntil }));
  }

  async finish({ relationship, claimedUntil }: DueRelationship, next: Date, looked: Looked): Promise<void> {
    await this.database.query(
      `UPDATE representation_relationship
          SET looked = $4, due_at = CASE WHEN due_at = $2 THEN $3::timestamptz ELSE due_at END WHERE id = $1`,
      [relationship.id, claimedUntil, next, JSON.stringify(looked)],
    );
  }

  async tell(relationshipId: string, step: string, at: Date): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `INSERT INTO representation_notice (relationship_id, step, told_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [relationshipId, step, at],
    );
    return rowCount === 1;
  }

  async removeOld(at: Date, most: number): Promise<number> {
    const counts: number[] = [];
    for (const [table, condition] of Object.entries(old)) {
      const { rowCount } = await this.database.query(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} AS one WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
        [at, most],
      );
      counts.push(rowCount ?? 0);
    }
    return Math.max(...counts);
  }

  async restoredAt(): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      `SELECT recorded_at AS at FROM audit_event
        WHERE type IN ('backup.restored', 'issued.ended') AND recorded_at > now() - interval '60 days'
          AND detail ->> 'issued' IS DISTINCT FROM 'kept'
        ORDER BY recorded_at DESC LIMIT 1`,
    );
    return rows[0]?.at;
  }

  async toldAt(relationshipId: string, step: string): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      'SELECT told_at AS at FROM representation_notice WHERE relationship_id = $1 AND step = $2',
      [relationshipId, step],
    );
    return rows[0]?.at;
  }
}
