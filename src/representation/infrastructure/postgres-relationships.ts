import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { countedMatches } from '../../contract/rules/lists.js';
import { Config } from '../../platform/config/config.js';
import { Database, isUniqueViolation, sqlState } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import { productVersion } from '../../platform/process/product.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { pairTaken, type Relationship, type RelationshipStatus } from '../domain/relationship.js';
import {
  type NewRelationship,
  type OwnReference,
  pairKey,
  type RelationshipChange,
  type RelationshipFilter,
  Relationships,
  relationshipsChanged,
} from '../domain/relationships.js';
import { haveSameRules, publishRules } from './node-rules.js';
import { firstMigration } from './older-nodes.js';
import { columns, keyOf, type Member, type Row, relationshipOf, selected, stored, uuid } from './relationship-rows.js';

/** States of relationships by which an account acts or acted for a patient. */
const begun = "('active', 'suspended', 'ended')";

@Injectable()
export class PostgresRelationships extends Relationships {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    config: Config,
  ) {
    super();
    publishRules(notifications, config);
  }

  canBeDecided(): Promise<boolean> {
    return haveSameRules(this.database);
  }

  async add({ accountId, tenant, ...rest }: NewRelationship): Promise<Relationship> {
    const members = Object.keys(rest) as (keyof typeof rest)[];
    const names = ['account_id', 'tenant', ...members.map((member) => columns[member])];
    const values = [accountId, tenant ?? '', ...members.map((member) => stored(member, rest[member]))];
    // Nodes of releases before do not know relationships, and would give full access.
    await this.database.query(
      'INSERT INTO contraction (migration, release, needs) VALUES ($1, $2, $1) ON CONFLICT DO NOTHING',
      [firstMigration, productVersion],
    );
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

  async findForChange(id: string): Promise<Relationship | undefined> {
    return uuid.test(id) ? (await this.find('id = $1 FOR NO KEY UPDATE', [id]))[0] : undefined;
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
    const always = ['changed_at = clock_timestamp()', 'due_at = NULL'];
    if (change.status !== undefined) always.push(suspensionTime(change.status));
    const [row] = await this.changed(
      `UPDATE representation_relationship SET ${[...set, ...always].join(', ')}
        WHERE id = $1 AND status = ANY ($2) RETURNING ${selected}`,
      [id, from, ...members.map((member) => stored(member, change[member]))],
    );
    // Of a pair that is no more, each node forgets what it has in its cache.
    if (row && change.patient !== undefined) await this.notifications.send(relationshipsChanged, '');
    // Decisions about apps end with the relationship that they are based on.
    if (row && (row.status === 'ended' || change.patient !== undefined)) {
      await this.database.query('DELETE FROM represented_consent WHERE relationship_id = $1', [id]);
      await this.database.query('DELETE FROM represented_pause WHERE relationship_id = $1', [id]);
    }
    return row;
  }

  async count(status: readonly RelationshipStatus[]): Promise<{ status: RelationshipStatus; count: number }[]> {
    const { rows } = await this.database.query<{ status: RelationshipStatus; count: number }>(
      `SELECT status, count(*)::int AS count FROM representation_relationship
        WHERE status = ANY ($1) GROUP BY status`,
      [status],
    );
    return rows;
  }

  async hasAddress({ tenant, patient }: PatientKey, email: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT FROM representative_address
        WHERE tenant = $1 AND patient = $2 AND address_hash = sha256(convert_to(lower(trim($3)), 'UTF8'))
       UNION ALL
       SELECT FROM representation_relationship AS one JOIN account ON account.id = one.account_id
        WHERE one.tenant = $1 AND one.patient = $2 AND one.status IN ${begun} AND lower(account.email) = lower(trim($3))
       LIMIT 1`,
      [tenant ?? '', patient, email],
    );
    return rowCount === 1;
  }

  async isAddressOfPatient(accountId: string, email: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT FROM representation_relationship AS one
         JOIN account ON account.claims @>
           jsonb_build_array(jsonb_build_object('name', 'fhirUser', 'value', 'Patient/' || one.patient))
        WHERE one.account_id::text = $1 AND one.status IN ${begun} AND account.id <> one.account_id
          AND lower(account.email) = lower(trim($2)) LIMIT 1`,
      [accountId, email],
    );
    return rowCount === 1;
  }

  async referencesOf(accountId: string): Promise<OwnReference[]> {
    const { rows } = await this.database.query<{ tenant: string | null; reference: string }>(
      `SELECT nullif(tenant, '') AS tenant, reference FROM representative_reference
        WHERE account_id::text = $1 ORDER BY tenant, reference`,
      [accountId],
    );
    return rows.map(({ tenant, reference }) => ({ tenant: tenant ?? undefined, reference }));
  }

  async nameReferences(
    accountId: string,
    tenant: string | undefined,
    { references, isWhole }: { references: readonly string[]; isWhole: boolean },
  ): Promise<string | undefined> {
    // A conflict locks the row of the other account, so that two accounts cannot get the same one at the same time.
    const { rows } = await this.database.query<{ reference: string; accountId: string }>(
      `INSERT INTO representative_reference AS own (tenant, reference, account_id)
       SELECT DISTINCT $2, reference, $1::uuid FROM unnest($3::text[]) AS one (reference) ORDER BY reference
       ON CONFLICT (tenant, reference) DO UPDATE SET account_id = own.account_id
       RETURNING reference, account_id AS "accountId"`,
      [accountId, tenant ?? '', references],
    );
    const taken = rows.find((row) => row.accountId !== accountId)?.reference;
    if (taken !== undefined || !isWhole) return taken;
    await this.database.query(
      'DELETE FROM representative_reference WHERE account_id = $1 AND tenant = $2 AND reference <> ALL ($3)',
      [accountId, tenant ?? '', references],
    );
    return undefined;
  }

  async lockUnchanged(seen: Relationship): Promise<boolean> {
    return isDeepStrictEqual(await this.findForChange(seen.id), seen);
  }

  async lockActive(id: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      "SELECT FROM representation_relationship WHERE id = $1 AND status = 'active' FOR SHARE",
      [id],
    );
    return rowCount === 1;
  }

  following(after: string | undefined, status: readonly RelationshipStatus[], most: number): Promise<Relationship[]> {
    return this.find('status = ANY ($1) AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3', [
      ...[status, after ?? null, most],
    ]);
  }

  async list({ page, pageSize, ...filter }: RelationshipFilter) {
    const { where, parameters } = conditionsOf(filter);
    const counted = await this.database.query<{ total: number }>(
      `SELECT count(*)::int AS total
         FROM (SELECT FROM representation_relationship WHERE ${where} LIMIT ${countedMatches}) AS matching`,
      parameters,
    );
    const relationships = await this.find(
      `${where} ORDER BY proposed_at DESC, id LIMIT $${parameters.length + 1} OFFSET $${parameters.length + 2}`,
      [...parameters, pageSize, (page - 1) * pageSize],
    );
    return { relationships, totalCount: counted.rows[0]?.total ?? 0 };
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

function suspensionTime(status: RelationshipStatus): string {
  return `suspended_at = ${status === 'suspended' ? 'coalesce(suspended_at, clock_timestamp())' : 'NULL'}`;
}

/** The conditions that are asked for alone, so that PostgreSQL finds an index for each. */
function conditionsOf(filter: Omit<RelationshipFilter, 'page' | 'pageSize'>): { where: string; parameters: unknown[] } {
  const { status, reasons, account, patient, tenant, searchTerm } = filter;
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = ['true'];
  if (status.length > 0) conditions.push(`status = ANY (${bind(status)})`);
  if (reasons) conditions.push(`reason = ANY (${bind(reasons)})`);
  if (account !== undefined) conditions.push(uuid.test(account) ? `account_id = ${bind(account)}` : 'false');
  if (patient !== undefined) conditions.push(`patient = ${bind(patient)}`);
  if (tenant !== undefined) conditions.push(`tenant = ${bind(tenant)}`);
  for (const word of searchTerm
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    conditions.push(`lower(representative_name || ' ' || patient_name) LIKE ${bind(pattern)}`);
  }
  return { where: conditions.join(' AND '), parameters };
}
