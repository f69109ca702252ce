import { Injectable } from '@nestjs/common';
import type { SeenKinds } from '../../contract/audit/access-detail.js';
import { Database } from '../../platform/database/database.js';
import { type AccessSpan, AuditedActivity, type LastRead } from '../domain/audited-activity.js';

/** Interactions of accesses that change a record. */
const changes = ['create', 'update', 'patch', 'delete'];

/** Requests of a visit that are read for its kinds. */
const mostRequests = 50;

const spansTable = `unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[]) WITH ORDINALITY
  AS span (user_id, client_id, first, until, representation, place)`;
/** The representation of a span of all accesses; '' is that of the user's own record. */
const all = '*';
const ofSpan = `FROM audit_event
  WHERE user_id = span.user_id AND recorded_at > span.first AND recorded_at <= span.until
    AND client_id = span.client_id AND type = 'record.accessed' AND outcome = 'success'
    AND span.representation IN ('${all}', coalesce(detail ->> 'representation', ''))`;

@Injectable()
export class PostgresAuditedActivity extends AuditedActivity {
  constructor(private readonly database: Database) {
    super();
  }

  override async lastAccesses(spans: readonly AccessSpan[]): Promise<(Date | undefined)[]> {
    if (spans.length === 0) return [];
    const { rows } = await this.database.query<{ at: Date | null }>(
      `SELECT access.at FROM ${spansTable}
         LEFT JOIN LATERAL (SELECT recorded_at AS at ${ofSpan} ORDER BY recorded_at DESC LIMIT 1) AS access ON true
        ORDER BY place`,
      valuesOf(spans),
    );
    return rows.map(({ at }) => at ?? undefined);
  }

  /** A visit can have a hundred thousand requests: kinds are counted in its last ones. */
  override async lastReads(spans: readonly AccessSpan[]): Promise<(LastRead | undefined)[]> {
    if (spans.length === 0) return [];
    const { rows } = await this.database.query<{ at: Date | null; kinds: SeenKinds; unattended: boolean | null }>(
      `SELECT read.at, coalesce(read.kinds, '{}') AS kinds, read.unattended FROM ${spansTable}
         CROSS JOIN LATERAL (
           WITH last AS (
             SELECT recorded_at AS at, detail ${ofSpan} AND coalesce(detail ->> 'interaction', '') <> ALL ($6)
              ORDER BY recorded_at DESC LIMIT ${mostRequests}),
           numbered AS (
             SELECT *, count(*) FILTER (WHERE is_earlier) OVER (ORDER BY at DESC) AS visits FROM (
               SELECT *, lag(at) OVER (ORDER BY at DESC) - at >= interval '10 minutes' AS is_earlier FROM last) AS each),
           visit AS (SELECT * FROM numbered WHERE visits = 0),
           kind AS (
             SELECT key, sum(number::bigint) AS number FROM visit CROSS JOIN LATERAL (
               SELECT each.kind, each.found
                 FROM jsonb_array_elements(coalesce(detail -> 'seen', '[]')) AS patient (kinds)
                CROSS JOIN jsonb_each_text(patient.kinds) AS each (kind, found)
               UNION ALL
               SELECT split_part(detail ->> 'resource', '/', 1), '0'
                WHERE detail -> 'seen' IS NULL AND detail ->> 'resource' IS NOT NULL) AS seen (key, number)
              GROUP BY key)
           SELECT max(at) AS at, bool_and(detail -> 'unattended' IS NOT NULL) AS unattended,
                  (SELECT jsonb_object_agg(key, number) FROM kind) AS kinds FROM visit) AS read
        ORDER BY place`,
      [...valuesOf(spans), changes],
    );
    return rows.map(({ at, kinds, unattended }) => (at ? { at, kinds, unattended: unattended === true } : undefined));
  }

  override async lastSignIn(accountId: string): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      `SELECT recorded_at AS at FROM audit_event
        WHERE user_id = $1 AND type = 'login' AND outcome = 'success' ORDER BY recorded_at DESC LIMIT 1`,
      [accountId],
    );
    return rows[0]?.at;
  }
}

function valuesOf(spans: readonly AccessSpan[]): unknown[] {
  return [
    spans.map(({ accountId }) => accountId),
    spans.map(({ clientId }) => clientId),
    spans.map(({ after }) => after),
    spans.map(({ until }) => until ?? 'infinity'),
    spans.map(({ of }) => (of === undefined ? all : (of ?? ''))),
  ];
}
