import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type AccessSpan, AuditedActivity } from '../domain/audited-activity.js';

/** Interactions of accesses that change a record. */
const changes = ['create', 'update', 'patch', 'delete'];

@Injectable()
export class PostgresAuditedActivity extends AuditedActivity {
  constructor(private readonly database: Database) {
    super();
  }

  override async lastAccesses(
    spans: readonly AccessSpan[],
    which: 'all' | 'reads' = 'all',
  ): Promise<(Date | undefined)[]> {
    if (spans.length === 0) return [];
    const { rows } = await this.database.query<{ at: Date | null }>(
      `SELECT access.recorded_at AS at
         FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY
              AS span (user_id, client_id, first, until, place)
         LEFT JOIN LATERAL (
           SELECT recorded_at FROM audit_event
            WHERE user_id = span.user_id AND recorded_at > span.first AND recorded_at <= span.until
              AND client_id = span.client_id AND type = 'record.accessed' AND outcome = 'success'
              AND NOT ($5 AND coalesce(detail ->> 'interaction', '') = ANY ($6))
            ORDER BY recorded_at DESC LIMIT 1) AS access ON true
        ORDER BY place`,
      [
        spans.map(({ accountId }) => accountId),
        spans.map(({ clientId }) => clientId),
        spans.map(({ after }) => after),
        spans.map(({ until }) => until ?? 'infinity'),
        which === 'reads',
        changes,
      ],
    );
    return rows.map(({ at }) => at ?? undefined);
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
