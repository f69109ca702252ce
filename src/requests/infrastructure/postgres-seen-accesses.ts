import { Injectable } from '@nestjs/common';
import type { SeenAccess } from '../../contract/requests.js';
import { Database } from '../../platform/database/database.js';
import type { HospitalRequest } from '../domain/request.js';
import { SeenAccesses } from '../domain/seen-accesses.js';

@Injectable()
export class PostgresSeenAccesses extends SeenAccesses {
  constructor(private readonly database: Database) {
    super();
  }

  async after({ accountId, decidedAt, tenant }: HospitalRequest, patient: string): Promise<SeenAccess[]> {
    const { rows } = await this.database.query<{ at: Date; clientName: string; kinds: Record<string, number> | null }>(
      `SELECT recorded_at AS at, coalesce(client_name, audit_event.client_id) AS "clientName",
              (SELECT seen FROM jsonb_array_elements(detail -> 'seen') WITH ORDINALITY AS one (seen, place)
                WHERE detail -> 'patients' ->> (place - 1)::int = $2) AS kinds
         FROM audit_event LEFT JOIN client ON client.client_id = audit_event.client_id
        WHERE user_id = $1 AND type = 'record.accessed' AND outcome = 'success' AND recorded_at >= $3
          AND (detail ->> 'patient' = $2 OR detail -> 'patients' ? $2)
          AND coalesce(detail ->> 'tenant', '') = $4
        ORDER BY recorded_at DESC LIMIT 200`,
      [accountId, patient, decidedAt, tenant ?? ''],
    );
    return rows.map(({ at, clientName, kinds }) => ({ at: at.toISOString(), clientName, kinds: kinds ?? {} }));
  }
}
