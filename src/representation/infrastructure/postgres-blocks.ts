import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Blocks, type Identity } from '../domain/blocks.js';
import type { PatientKey } from '../domain/patient-facts.js';

@Injectable()
export class PostgresBlocks extends Blocks {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ tenant, patient }: PatientKey, identities: readonly Identity[], relationshipId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO representation_block (tenant, patient, kind, value_hash, relationship_id)
       SELECT $1, $2, kind, hash, $5 FROM unnest($3::text[], $4::text[]) AS one (kind, hash) ON CONFLICT DO NOTHING`,
      [tenant ?? '', patient, ...columnsOf(identities), relationshipId],
    );
  }

  async isBlocked({ tenant, patient }: PatientKey, identities: readonly Identity[]): Promise<boolean> {
    const accounts = identities.flatMap(({ kind, value }) => (kind === 'account' ? [value] : []));
    // Waits for an end of the pair that another transaction makes: it stores its block before it commits.
    await this.database.query(
      `SELECT FROM representation_relationship
        WHERE account_id = ANY ($1::uuid[]) AND tenant = $2 AND patient = $3 AND status IN ('active', 'suspended')
          FOR SHARE`,
      [accounts, tenant ?? '', patient],
    );
    const { rowCount } = await this.database.query(
      `SELECT FROM representation_block
        WHERE tenant = $1 AND patient = $2
          AND (kind, value_hash) IN (SELECT kind, hash FROM unnest($3::text[], $4::text[]) AS one (kind, hash)) LIMIT 1`,
      [tenant ?? '', patient, ...columnsOf(identities)],
    );
    return rowCount === 1;
  }

  async ofRelationships(ids: readonly string[]): Promise<Map<string, 'stands' | 'lift-asked'>> {
    const { rows } = await this.database.query<{ id: string; isAsked: boolean }>(
      `SELECT relationship_id AS id, bool_or(lift_asked_by IS NOT NULL) AS "isAsked"
         FROM representation_block WHERE relationship_id = ANY ($1) GROUP BY relationship_id`,
      [ids],
    );
    return new Map(rows.map(({ id, isAsked }) => [id, isAsked ? 'lift-asked' : 'stands']));
  }

  async lift(relationshipId: string, administrator: string): Promise<'asked' | 'lifted' | undefined> {
    const lifted = await this.database.query(
      `DELETE FROM representation_block
        WHERE relationship_id = $1 AND lift_asked_by IS NOT NULL AND lift_asked_by <> $2`,
      [relationshipId, administrator],
    );
    if ((lifted.rowCount ?? 0) > 0) return 'lifted';
    const asked = await this.database.query(
      'UPDATE representation_block SET lift_asked_by = $2 WHERE relationship_id = $1',
      [relationshipId, administrator],
    );
    return (asked.rowCount ?? 0) > 0 ? 'asked' : undefined;
  }
}

function columnsOf(identities: readonly Identity[]): [string[], string[]] {
  return [identities.map(({ kind }) => kind), identities.map(({ value }) => sha256(value))];
}
