import { Injectable } from '@nestjs/common';
import type { OwnSentRequest } from '../../contract/own-record/own-data.js';
import type { Receipt } from '../../contract/own-record/receipts.js';
import { Database } from '../../platform/database/database.js';
import type { RecordedEvent } from '../domain/own-event.js';
import { OwnRecords, type RecordedLaunch } from '../domain/own-records.js';

const part = 500;
const iso = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

/**
 * Each part is a statement of its own that continues behind the last row, in the order of an index: a slow reader holds
 * neither a connection nor a transaction. Positions have the microseconds of the database.
 */
@Injectable()
export class PostgresOwnRecords extends OwnRecords {
  constructor(private readonly database: Database) {
    super();
  }

  override async *receipts(accountId: string): AsyncIterable<Receipt[]> {
    for (let behind: [string, string, string] = ['', '-infinity', '']; ; ) {
      const { rows } = await this.database.query<{ facts: Receipt; clientId: string; position: string; id: string }>(
        `SELECT facts, client_id AS "clientId", ended_at::text AS position, id
           FROM receipt WHERE account_id = $1 AND (client_id, ended_at, id) > ($2, $3::timestamptz, $4)
          ORDER BY client_id, ended_at, id LIMIT ${part}`,
        [accountId, ...behind],
      );
      if (rows.length > 0) yield rows.map(({ facts }) => facts);
      const last = rows.at(-1);
      if (!last || rows.length < part) return;
      behind = [last.clientId, last.position, last.id];
    }
  }

  override async *requests(accountId: string): AsyncIterable<OwnSentRequest[]> {
    const { rows } = await this.database.query<OwnSentRequest & { [column: string]: unknown }>(
      `SELECT reference, kind, status, patient_name AS "patientName", content - 'isCompared' AS content, note,
              to_char(asked_at AT TIME ZONE 'UTC', '${iso}') AS "askedAt",
              to_char(decided_at AT TIME ZONE 'UTC', '${iso}') AS "decidedAt",
              (SELECT coalesce(json_agg(json_build_object('label', label, 'name', name, 'bytes', bytes) ORDER BY added_at), '[]')
                 FROM request_file WHERE request_id = request.id) AS files
         FROM request WHERE account_id = $1 AND status NOT IN ('approved', 'in-error') ORDER BY asked_at, id`,
      [accountId],
    );
    if (rows.length > 0) yield rows;
  }

  override async *launches(accountId: string): AsyncIterable<RecordedLaunch[]> {
    for (let behind: [string, string, string] = ['', '-infinity', '']; ; ) {
      const { rows } = await this.database.query<RecordedLaunch & { position: string; [column: string]: unknown }>(
        `SELECT id, client_id AS "clientId", started_at AS "startedAt", started_at::text AS position, last_at AS "lastAt",
                outcome, entries
           FROM launch WHERE account_id = $1 AND (outcome, started_at, id) > ($2, $3::timestamptz, $4)
          ORDER BY outcome, started_at, id LIMIT ${part}`,
        [accountId, ...behind],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < part) return;
      behind = [last.outcome, last.position, last.id];
    }
  }

  override async *events(accountId: string, until: Date, hidden: readonly string[]): AsyncIterable<RecordedEvent[]> {
    for (let behind: [string, string] = ['-infinity', '0']; ; ) {
      const { rows } = await this.database.query<
        RecordedEvent & { id: string; position: string; [column: string]: unknown }
      >(
        `SELECT id, recorded_at AS at, recorded_at::text AS position, type, outcome, user_id AS "userId",
                client_id AS "clientId", subject, address, correlation_id AS "correlationId", detail
           FROM audit_event
          WHERE user_id = $1 AND recorded_at BETWEEN $3::timestamptz AND $2
            AND (recorded_at, id) > ($3::timestamptz, $4::bigint)
            AND (detail ->> 'representation' = ANY ($5)) IS NOT TRUE
          ORDER BY recorded_at, id LIMIT ${part}`,
        [accountId, until, ...behind, hidden],
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < part) return;
      behind = [last.position, last.id];
    }
  }
}
