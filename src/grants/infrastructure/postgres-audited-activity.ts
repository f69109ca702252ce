import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AuditedActivity } from '../domain/audited-activity.js';

interface LastAccess {
  clientId: string;
  at: Date;
}

@Injectable()
export class PostgresAuditedActivity extends AuditedActivity {
  constructor(private readonly database: Database) {
    super();
  }

  override async lastAccesses(
    accountId: string,
    apps: readonly { clientId: string; lastUsed: Date }[],
  ): Promise<Map<string, Date>> {
    if (apps.length === 0) return new Map();
    const { rows } = await this.database.query<LastAccess & { [column: string]: unknown }>(
      `SELECT app.client_id AS "clientId", access.recorded_at AS at
         FROM unnest($2::text[], $3::timestamptz[]) AS app (client_id, last_used)
        CROSS JOIN LATERAL (
          SELECT recorded_at FROM audit_event
           WHERE user_id = $1 AND recorded_at > app.last_used AND client_id = app.client_id
             AND type = 'record.accessed' AND outcome = 'success'
           ORDER BY recorded_at DESC LIMIT 1) AS access`,
      [accountId, apps.map(({ clientId }) => clientId), apps.map(({ lastUsed }) => lastUsed)],
    );
    return new Map(rows.map(({ clientId, at }) => [clientId, at]));
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
