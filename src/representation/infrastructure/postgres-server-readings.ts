import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type GoneRelationships, mostGonePerHour } from '../domain/patient-facts.js';
import { type ServerReading, ServerReadings } from '../domain/related-person.js';

const live = "status IN ('active', 'suspended')";
const ofServer = "proposed_by ->> 'kind' = 'server'";
/** A relationship that was never read since it was made had been read then. */
const readings = `SELECT id, coalesce(had_at, decided_at, proposed_at) AS "hadAt", missing_since AS "missingSince"
  FROM representation_relationship LEFT JOIN server_relationship ON relationship_id = id`;

@Injectable()
export class PostgresServerReadings extends ServerReadings {
  constructor(private readonly database: Database) {
    super();
  }

  ofAccount(account: string, tenant: string | undefined): Promise<Map<string, ServerReading>> {
    return this.find('account_id = $1 AND tenant = $2', [account, tenant ?? '']);
  }

  async ofRelationship(id: string): Promise<ServerReading | undefined> {
    return (await this.find('id = $1', [id])).get(id);
  }

  async keep(
    at: Date,
    { had, missing }: { had: readonly string[]; missing: readonly string[] },
  ): Promise<ReadonlyMap<string, Date>> {
    if (had.length + missing.length === 0) return new Map();
    // One order of rows for all nodes; an older read replaces no newer one. One that was removed meanwhile is left out.
    const { rows } = await this.database.query<{ id: string; since: Date | null }>(
      `INSERT INTO server_relationship AS kept (relationship_id, had_at, missing_since, missing_read_at)
       SELECT id, CASE WHEN has THEN $1::timestamptz END, CASE WHEN NOT has THEN $1 END, CASE WHEN NOT has THEN $1 END
         FROM (SELECT one AS id, true AS has FROM unnest($2::uuid[]) AS one
               UNION ALL SELECT one, false FROM unnest($3::uuid[]) AS one) AS read
        WHERE EXISTS (SELECT FROM representation_relationship AS known WHERE known.id = read.id FOR KEY SHARE)
        ORDER BY id
       ON CONFLICT (relationship_id) DO UPDATE
          SET had_at = coalesce(excluded.had_at, kept.had_at),
              missing_since = CASE WHEN excluded.missing_since IS NOT NULL
                                   THEN coalesce(kept.missing_since, excluded.missing_since) END,
              missing_read_at = excluded.missing_read_at
        WHERE $1 >= coalesce(greatest(kept.had_at, kept.missing_read_at), $1)
       RETURNING relationship_id AS id, missing_since AS since`,
      [at, had, missing],
    );
    return new Map(rows.flatMap(({ id, since }) => (since ? [[id, since] as const] : [])));
  }

  async missingBefore(at: Date, tenant: string | undefined): Promise<GoneRelationships> {
    const { rows } = await this.database.query<GoneRelationships>(
      `SELECT (SELECT count(*) FROM server_relationship JOIN representation_relationship ON id = relationship_id
                WHERE missing_since IS NOT NULL AND missing_read_at > $1::timestamptz - interval '1 hour'
                  AND tenant = $2 AND ${live})::int AS "inHour",
              (SELECT count(*) FROM (
                 SELECT FROM server_relationship JOIN representation_relationship ON id = relationship_id
                  WHERE tenant = $2 AND ${live} LIMIT $3) AS counted)::int AS "all"`,
      [at, tenant ?? '', mostGonePerHour * 100],
    );
    return rows[0] ?? { inHour: 0, all: 0 };
  }

  private async find(condition: string, parameters: unknown[]): Promise<Map<string, ServerReading>> {
    const { rows } = await this.database.query<{ id: string; hadAt: Date; missingSince: Date | null }>(
      `${readings} WHERE ${condition} AND ${live} AND ${ofServer}`,
      parameters,
    );
    return new Map(rows.map(({ id, hadAt, missingSince }) => [id, { hadAt, missingSince: missingSince ?? undefined }]));
  }
}
